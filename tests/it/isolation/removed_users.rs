//! Users who are disabled, moved or removed send nothing more, and their colleagues are not
//! affected.

use gatepost_engine::{AccessLevel, Account, AccountAnswer, Accounts as _, Realm, Scope};
use gatepost_ids::TenantId;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState, TaskQuery, WebhookQuery};

use super::{A, B, COLLEAGUE, Platform, switched_on};

#[tokio::test]
async fn a_disabled_user_sends_nothing_until_enabled_again() {
    let platform = Platform::start().await;
    platform.watching(A, "a", 110).await;
    platform.watching(COLLEAGUE, "colleague", 110).await;
    platform.engine.emit(switched_on(110)).await.unwrap();
    platform.receiver.wait_for("/a", 1).await.unwrap();

    platform.users.0.lock().unwrap().insert(A);
    platform.engine.owner_changed(A).await.unwrap();
    let emitted = platform.engine.emit(switched_on(110)).await.unwrap();
    assert_eq!(emitted.deliveries.len(), 1, "the colleague's");
    platform.receiver.wait_for("/colleague", 2).await.unwrap();
    assert_eq!(platform.arrived("a"), 1);

    platform.users.0.lock().unwrap().remove(&A);
    platform.engine.owner_changed(A).await.unwrap();
    platform.engine.emit(switched_on(110)).await.unwrap();
    platform.receiver.wait_for("/a", 2).await.unwrap();
}

#[tokio::test]
async fn removed_user_loses_everything_and_others_nothing() {
    let platform = Platform::start().await;
    let (own, _) = platform.watching(A, "a", 110).await;
    platform.watching(COLLEAGUE, "colleague", 110).await;
    platform.engine.emit(switched_on(110)).await.unwrap();
    platform.receiver.wait_for("/a", 1).await.unwrap();
    platform.engine.remove_owner(A).await.unwrap();
    assert_eq!(platform.engine.webhook(own).await.unwrap(), None);
    for (scope, expected) in [(Scope::Owner(A), 0), (Scope::Owner(COLLEAGUE), 1)] {
        let webhooks = WebhookQuery {
            scope,
            name: None,
            page: Page::first(10),
        };
        assert_eq!(
            platform
                .engine
                .list_webhooks(&webhooks)
                .await
                .unwrap()
                .len(),
            expected
        );
        let tasks = TaskQuery {
            scope,
            creator: None,
            webhook: None,
            name: None,
            page: Page::first(10),
        };
        assert_eq!(
            platform.engine.list_tasks(&tasks).await.unwrap().len(),
            expected
        );
        let sent = DeliveryQuery {
            scope,
            ..DeliveryQuery::all(Page::first(10))
        };
        assert_eq!(
            platform.engine.list_deliveries(&sent).await.unwrap().len(),
            expected
        );
    }
    assert_eq!(
        platform
            .engine
            .emit(switched_on(110))
            .await
            .unwrap()
            .deliveries
            .len(),
        1
    );
    platform.engine.remove_tenant(TenantId(1)).await.unwrap();
    assert_eq!(
        platform
            .engine
            .emit(switched_on(110))
            .await
            .unwrap()
            .deliveries
            .len(),
        0
    );
}

#[tokio::test]
async fn deliveries_of_moved_user_end_in_old_tenant() {
    let platform = Platform::start().await;
    let (webhook, _) = platform.watching(A, "a", 110).await;
    platform.engine.pause_webhook(webhook).await.unwrap();
    let emitted = platform.engine.emit(switched_on(110)).await.unwrap();
    let [waiting] = emitted.deliveries.as_slice() else {
        panic!("{emitted:?}")
    };
    let moved = Realm::of(B, &account(&platform));
    platform.engine.move_owner(A, moved).await.unwrap();
    for _ in 0..1_000 {
        let delivery = platform.engine.delivery(*waiting).await.unwrap().unwrap();
        if delivery.state == DeliveryState::Error {
            assert_eq!(delivery.status_info, "the owner moved");
            assert_eq!(delivery.tenant, Some(TenantId(1)));
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("it still waits");
}

fn account(platform: &Platform) -> Account {
    match platform.users.account(B) {
        AccountAnswer::Now(Ok(Some(account))) => account,
        _ => Account::enabled(AccessLevel::User),
    }
}
