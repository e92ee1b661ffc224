use std::sync::Arc;

use apikey_core::{Description, Expiration, IpPolicy, KeyDraft, OwnerId, Peppers, Prefix};
use gatepost_storage::{KeyStore, MemoryStore};

use super::Cache;
use crate::judged::Circumstances;

fn at(peppers: &Peppers) -> Circumstances<'_> {
    Circumstances {
        addr: "10.0.0.1".parse().unwrap(),
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        peppers,
    }
}

#[tokio::test]
async fn a_record_read_before_a_deletion_is_not_put_back_after_it() {
    let store: Arc<dyn KeyStore> = Arc::new(MemoryStore::new());
    let cache = Cache::new(100);
    let peppers = Peppers::none();
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let draft = KeyDraft {
        owner: OwnerId(1),
        name: "k".parse().unwrap(),
        description: Description::default(),
        expiration: Expiration::Never,
        ip: IpPolicy::default(),
    };
    let new = draft
        .issue(&Prefix::default(), &peppers, &mut rand::rng(), now)
        .unwrap();
    let (record, reveal) = new.into_parts();
    let key = reveal.reveal();
    let row = store.insert_key(&record).await.unwrap();
    let presented = apikey_core::PresentedKey::parse(key.as_str()).unwrap();

    assert!(cache.sync(store.as_ref()).await.unwrap());
    let epoch = cache.epoch();
    let read = store.key_by_lookup(record.lookup).await.unwrap().unwrap();
    store.delete_key(row.id, now).await.unwrap();
    assert!(!cache.is_current(store.as_ref()));
    cache.sync(store.as_ref()).await.unwrap();
    cache.insert(&read, epoch);
    assert!(
        cache.judge(&presented, &at(&peppers)).is_none(),
        "the late fill was refused"
    );

    let epoch = cache.epoch();
    cache.insert(&read, epoch);
    assert!(
        cache
            .judge(&presented, &at(&peppers))
            .is_some_and(|judged| judged.outcome.is_ok()),
        "a fill in time is taken"
    );
}

#[tokio::test]
async fn the_cache_stays_within_its_bounds() {
    let cache = Cache::new(64);
    let peppers = Peppers::none();
    let store = MemoryStore::new();
    cache.sync(&store).await.unwrap();
    for n in 0..500 {
        let draft = KeyDraft {
            owner: OwnerId(1),
            name: format!("k{n}").parse().unwrap(),
            description: Description::default(),
            expiration: Expiration::Never,
            ip: IpPolicy::default(),
        };
        let new = draft
            .issue(
                &Prefix::default(),
                &peppers,
                &mut rand::rng(),
                "2026-01-01T00:00:00Z".parse().unwrap(),
            )
            .unwrap();
        let row = store.insert_key(new.record()).await.unwrap();
        cache.insert(&row, cache.epoch());
    }
    let held: usize = cache.shards.iter().map(|shard| shard.len()).sum();
    assert!(held <= 64, "{held}");
}
