//! A user who moves to another tenant keeps their records; sent deliveries stay in the tenant in
//! which they were sent.

use chrono::{DateTime, Utc};
use gatepost_keys::{OwnerId, TenantId};
use gatepost_manage::{Actor, ManageError};
use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery};
use gatepost_storage::{Page, Scope};

use crate::users::{ABROAD, ADMIN, OWNER, TENANT};
use crate::world::World;

/// The owner has moved to the tenant that `ABROAD` administers, and has had one message in the
/// queue there.
async fn moved() -> (World, DeliveryId) {
    let world = World::start().await;
    let abroad = TenantId(2);
    world.platform.moved.lock().unwrap().insert(OWNER, abroad);
    world.engine.owner_changed(OwnerId(OWNER)).await.unwrap();
    let webhook = world.rows.webhook;
    world.of(OWNER).pause_webhook(webhook).await.unwrap();
    let sent = world.engine.send(webhook, None).await.unwrap();
    assert_eq!(world.engine.cancel(&[sent]).await.unwrap(), 1);
    (world, sent)
}

async fn log(actor: &Actor, scope: Scope) -> Vec<DeliveryId> {
    let query = DeliveryQuery {
        scope,
        ..DeliveryQuery::all(Page::first(10))
    };
    let listed = actor.deliveries(&query).await.unwrap().rows;
    listed.iter().map(|delivery| delivery.id).collect()
}

#[tokio::test]
async fn administrator_sees_only_deliveries_of_own_tenant() {
    let (world, new) = moved().await;
    let (old, waited) = (world.rows.ended, world.rows.waiting);
    let owners = Scope::Owner(OwnerId(OWNER));
    let here = Scope::Tenant(TenantId(1));
    for (user, scope, expected) in [
        (TENANT, Scope::All, vec![old, waited]),
        (TENANT, here, vec![old, waited]),
        (TENANT, owners, vec![]),
        (ABROAD, Scope::All, vec![new]),
        (ABROAD, owners, vec![new]),
        (ABROAD, here, vec![]),
        (OWNER, Scope::All, vec![old, waited, new]),
        (ADMIN, Scope::All, vec![old, waited, new]),
    ] {
        let listed = log(&world.of(user), scope).await;
        assert_eq!(listed, expected, "{user} asks for {scope:?}");
    }
    for (user, hidden) in [(TENANT, new), (ABROAD, old)] {
        let actor = world.of(user);
        let answers = [
            actor.delivery(hidden).await.map(drop),
            actor.attempts(hidden, 99).await.map(drop),
            actor.replay_delivery(hidden).await,
            actor.delete_delivery(hidden).await,
        ];
        for answer in answers {
            let not_found = matches!(answer, Err(ManageError::NotFound));
            assert!(not_found, "{user}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn left_behind_delivery_is_readable_but_not_replayable() {
    let (world, _) = moved().await;
    let (admin, old) = (world.of(TENANT), world.rows.ended);
    let (delivery, webhook) = admin.delivery(old).await.unwrap();
    assert_eq!((delivery.id, webhook), (old, None));
    let answers = [
        admin.replay_delivery(old).await,
        admin.cancel_delivery(old).await,
        admin.delete_delivery(old).await,
    ];
    for answer in answers {
        assert!(matches!(answer, Err(ManageError::Forbidden)), "{answer:?}");
    }
    let records = [
        admin.webhook(world.rows.webhook).await.map(drop),
        admin.task(world.rows.task).await.map(drop),
        admin.event(world.rows.event).await.map(drop),
    ];
    for answer in records {
        assert!(matches!(answer, Err(ManageError::NotFound)), "{answer:?}");
    }
    world.of(ABROAD).event(world.rows.event).await.unwrap();
}

/// A count reveals rows, too: an administrator's replay counts only deliveries sent in their own
/// tenant.
#[tokio::test]
async fn administrators_replay_excludes_deliveries_of_other_tenants() {
    let (world, new) = moved().await;
    let (from, before) = (DateTime::UNIX_EPOCH, DateTime::<Utc>::MAX_UTC);
    let webhook = world.rows.webhook;
    let queued = world.of(ABROAD).replay_failed(webhook, from, before).await;
    assert_eq!(queued.unwrap(), 1);
    let (newer, _) = world.of(ADMIN).delivery(new).await.unwrap();
    let (older, _) = world.of(ADMIN).delivery(world.rows.ended).await.unwrap();
    assert!(!newer.state.is_final() && older.state.is_final());
    // The owner and the system administrator send all of it again.
    let queued = world.of(OWNER).replay_failed(webhook, from, before).await;
    assert_eq!(queued.unwrap(), 1);
    let (older, _) = world.of(ADMIN).delivery(world.rows.ended).await.unwrap();
    assert!(!older.state.is_final());
}
