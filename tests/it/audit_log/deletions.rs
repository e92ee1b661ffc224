//! Deleted rows are listed for platforms that keep the list with their backups.

use apikey_core::KeyId;
use gatepost_storage::webhooks::Cascade;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn deletions_by_every_user_are_listed_in_batches() {
    on_each_store(async |store, stores| {
        let platform = Platform::start(&stores).await;
        let mut keys = Vec::new();
        for (owner, name) in [(ADA, "a"), (STRANGER, "b"), (ADA, "stays")] {
            let made = platform.of(owner).create_key(draft(owner, name)).await;
            keys.push(made.unwrap().0.id);
        }
        let hook = platform.webhook(ADA, "chat").await;
        platform.of(ADA).delete_key(keys[0]).await.unwrap();
        platform.of(OPERATOR).delete_key(keys[1]).await.unwrap();
        let cascade = Cascade::Refuse;
        let gone = platform.of(ADA).delete_webhook(hook, cascade).await;
        gone.unwrap();

        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let bite = platform.log.deletions(after, 2).await.unwrap();
            assert!(bite.deleted.len() <= 2, "{store}");
            found.extend(bite.deleted);
            if bite.last.is_none() {
                break;
            }
            after = bite.last;
        }
        let deleted: Vec<Option<KeyId>> = found.iter().map(|one| one.key()).collect();
        assert_eq!(deleted, [Some(keys[0]), Some(keys[1]), None], "{store}");
        let last = &found[2];
        assert_eq!((&*last.table, last.row), ("webhook_urls", hook.into()));
        assert_eq!(found[1].owner, OwnerId(STRANGER));
    })
    .await;
}
