//! The changes that a caller sees: their own, a tenant's, or all, and none of others.

use gatepost_ids::ObjectId;
use gatepost_manage::ManageError;
use gatepost_storage::Order;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn users_see_only_changes_within_their_scope() {
    on_each_store(async |store, stores| {
        let platform = Platform::start(&stores).await;
        for owner in [ADA, BOSS, STRANGER, OPERATOR] {
            platform.webhook(owner, &format!("of-{owner}")).await;
        }
        let names = async |user, query: &AuditQuery| {
            let found = platform.of(user).logged_changes(query).await.unwrap();
            let names = found.rows.into_iter().map(|row| row.name);
            names.collect::<Vec<_>>()
        };
        platform.log.flush().await;
        let all = AuditQuery::all(Page::first(99));
        let own = ["of-1"];
        let tenant = ["of-1", "of-2"];
        let every = ["of-1", "of-2", "of-3", "of-4"];
        assert_eq!(names(ADA, &all).await, own, "{store}");
        assert_eq!(names(BOSS, &all).await, tenant, "{store}");
        assert_eq!(names(STRANGER, &all).await, ["of-3"], "{store}");
        assert_eq!(names(OPERATOR, &all).await, every, "{store}");
        // No query returns an entry of another owner.
        let of = |scope| AuditQuery {
            scope,
            ..all.clone()
        };
        let record = AuditQuery {
            record: Some(("webhook_urls".into(), ObjectId::from(1))),
            ..all.clone()
        };
        let actor = AuditQuery {
            actor: Some(OwnerId(ADA)),
            ..all.clone()
        };
        let asked = [
            of(Scope::Owner(OwnerId(ADA))),
            of(Scope::Tenant(TenantId(1))),
            record.clone(),
            actor,
        ];
        for query in asked {
            assert_eq!(names(STRANGER, &query).await, [""; 0], "{store}: {query:?}");
            assert!(!names(BOSS, &query).await.is_empty(), "{store}: {query:?}");
        }
        assert_eq!(names(ADA, &of(Scope::Owner(OwnerId(BOSS)))).await, [""; 0]);
        assert_eq!(names(BOSS, &record).await, own, "{store}");
        // An entry of another owner looks like a missing one.
        let first = platform.seen_by(OPERATOR).await[0].id;
        for (user, id) in [
            (STRANGER, first),
            (ADA, AuditId(999)),
            (ADA, AuditId(i64::MIN)),
        ] {
            let refused = platform.of(user).logged_change(id).await;
            assert!(matches!(refused, Err(ManageError::NotFound)), "{store}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn administrators_address_is_hidden_from_lower_roles() {
    on_each_store(async |store, stores| {
        let platform = Platform::start(&stores).await;
        let hook = platform.webhook(ADA, "chat").await;
        platform.of(BOSS).pause_webhook(hook).await.unwrap();
        platform.of(OPERATOR).resume_webhook(hook).await.unwrap();
        let froms = async |user| {
            let seen = platform.seen_by(user).await;
            let froms = seen.iter().map(|row| (row.actor.0, row.from.is_some()));
            froms.collect::<Vec<_>>()
        };
        let known = [(ADA, true), (BOSS, false), (OPERATOR, false)];
        assert_eq!(froms(ADA).await, known, "{store}");
        let known = [(ADA, true), (BOSS, true), (OPERATOR, false)];
        assert_eq!(froms(BOSS).await, known, "{store}");
        let known = [(ADA, true), (BOSS, true), (OPERATOR, true)];
        assert_eq!(froms(OPERATOR).await, known, "{store}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn paged_listing_returns_every_visible_entry_once() {
    let platform = Platform::start(&Stores::in_memory()).await;
    for n in 0..7 {
        platform.webhook(ADA, &format!("w{n}")).await;
        platform.webhook(STRANGER, &format!("w{n}")).await;
    }
    platform.log.flush().await;
    for order in [Order::Ascending, Order::Descending] {
        let mut page = Page {
            order,
            ..Page::first(2)
        };
        let mut names = Vec::new();
        loop {
            let (boss, query) = (platform.of(BOSS), AuditQuery::all(page));
            let found = boss.logged_changes(&query).await.unwrap();
            names.extend(found.rows.into_iter().map(|row| row.name));
            let Some(next) = found.next else { break };
            page = page.beyond(next);
        }
        if order == Order::Descending {
            names.reverse();
        }
        assert_eq!(names, ["w0", "w1", "w2", "w3", "w4", "w5", "w6"]);
    }
}
