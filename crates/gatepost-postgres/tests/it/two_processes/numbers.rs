//! Numbers that a process has drawn and not yet committed, during a move and a restore: nothing is
//! sent twice or lost.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_postgres::PostgresStore;
use gatepost_storage::OwnerStore as _;
use gatepost_storage::owners::SkippedIds;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::at;

use super::{BY_REALM, Kind, Race, claims_of, remove_all, settle, stored_by};
use crate::locks::one;

/// Returns the waiting deliveries once each, by number.
fn waiting(stored: impl IntoIterator<Item = StoredDelivery>) -> Vec<DeliveryId> {
    let waiting = stored.into_iter().filter(|stored| stored.token.is_none());
    let mut ids: Vec<_> = waiting.map(|stored| stored.id).collect();
    ids.sort_unstable();
    ids
}

async fn claimed(race: &Race, now: i64) -> Vec<DeliveryId> {
    let mut claimed = race.claim(race.two.of_one, now).await;
    claimed.extend(race.claim(race.two.of_other, now).await);
    let mut ids: Vec<_> = claimed.iter().map(|c| c.delivery.id).collect();
    ids.sort_unstable();
    ids
}

/// A delivery that a process stores after the move may have a number that was drawn before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn move_next_to_drawn_numbers_loses_nothing() {
    let race = Race::new().await;
    let to = Realm::Tenant(TenantId(u128::MAX));
    let old = race.enqueue(race.batch(Kind::Waiting, "old").await).await;
    let of_other = Enqueue {
        precondition: race.two.precondition_of(&[race.two.other]).await,
        ..one(race.two.of_other, "other")
    };
    let placed = |b: PostgresStore| async move {
        b.assign_realm(OwnerId(1), to, at(1)).await.unwrap();
    };
    let raced = race.run(of_other, placed).await;
    let mut stored = raced.stored;
    assert_eq!(stored.len(), 1, "another tenant's move refuses nothing");
    for store in [&race.two.a, &race.two.b, &race.two.a] {
        let mut new = race
            .batch(Kind::Waiting, &format!("new{}", stored.len()))
            .await;
        new.precondition = race.two.precondition_of(&[to]).await;
        stored.extend(stored_by(store.enqueue(new, at(2)).await.unwrap()));
    }
    assert_eq!(stored.len(), 7);
    // The deliveries that waited end only at this point, after others arrived.
    remove_all(&race.two.b).await;
    assert_eq!(claimed(&race, 3).await, waiting(stored));
    for old in old {
        let row = race.two.a.delivery(old.id).await.unwrap().unwrap();
        assert_eq!(row.state, DeliveryState::Error);
    }
}

/// The first process has numbers from before the restore, and must not assign them after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restore_next_to_drawn_numbers_loses_nothing() {
    for kind in BY_REALM {
        let race = Race::new().await;
        let mut stored = race.enqueue(race.batch(Kind::Waiting, "old").await).await;
        let later = race.batch(kind, "later").await;
        let batch = race.batch(kind, "m").await;
        let raced = race
            .run(batch, |b| async move { b.restored(at(1)).await.unwrap() })
            .await;
        race.assert_refused(later, kind).await;
        stored.extend(&raced.stored);
        let newest = stored.iter().map(|stored| stored.id.0).max().unwrap();
        let beyond = SkippedIds::of_log(at(1)).beyond(newest);
        for (n, store) in [&race.two.a, &race.two.b, &race.two.a]
            .into_iter()
            .enumerate()
        {
            let new = race.batch(kind, &format!("new{n}-")).await;
            let new = stored_by(store.enqueue(new, at(2)).await.unwrap());
            assert_eq!(new.len(), 2, "{kind:?}");
            assert!(new.iter().all(|new| new.id.0 > beyond), "{kind:?} {new:?}");
            stored.extend(new);
        }
        assert_eq!(claimed(&race, 3).await, waiting(stored.clone()), "{kind:?}");
        settle(&race.two.b, claims_of(&stored), Disposition::Sent).await;
        assert_eq!(claimed(&race, 4).await, [], "{kind:?}");
    }
}
