//! A move to another tenant during an enqueue: the new tenant sends nothing of the old one.

use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::at;

use super::{KINDS, Kind, Race, Stop, move_owner, settle};

/// Runs with or without a delivery that waits already, from which the store may know that there is
/// something to end.
async fn next_to_enqueue(stop: Stop, something_waits: bool) {
    for kind in KINDS {
        let race = Race::new().await;
        let (hook, to) = (race.two.of_one, race.two.other);
        let later = race.batch(kind, "later").await;
        let mut old = Vec::new();
        if something_waits {
            let before = race.batch(Kind::Waiting, "before").await;
            old.extend(race.enqueue(before).await);
        }
        let batch = race.batch(kind, "m").await;
        let moves = |b| async move { move_owner(&b, to).await };
        let raced = race.run_at(stop, batch, moves).await;
        raced.assert_nothing_appeared(&race.two.a, kind).await;
        race.assert_refused(later, kind).await;
        assert_eq!(race.claim(hook, 2).await, [], "{kind:?}");
        // A delivery that the old tenant leased is returned, and is not sent again.
        let retry = Disposition::Retry { due: at(3) };
        settle(&race.two.a, raced.claims(), retry).await;
        assert_eq!(race.claim(hook, 4).await, [], "{kind:?}");
        let mut new = race.batch(Kind::Waiting, "new").await;
        new.precondition = race.two.precondition_of(&[to]).await;
        let new = race.enqueue(new).await;
        assert_eq!(new.len(), 2, "{kind:?}");
        move_owner(&race.two.b, to).await;
        let claimed = race.claim(hook, 5).await;
        let tenants = claimed.iter().map(|c| (c.delivery.id, c.delivery.tenant));
        let tenants: Vec<_> = tenants.collect();
        let expected = new.iter().map(|stored| (stored.id, to.tenant()));
        assert_eq!(tenants, expected.collect::<Vec<_>>(), "{kind:?}");
        old.extend(raced.stored);
        for id in old.iter().map(|stored| stored.id) {
            let row = race.two.a.delivery(id).await.unwrap().unwrap();
            let ended = (row.state, row.status_info.as_str(), row.tenant);
            let moved = EndReason::OwnerMoved.as_str();
            let expected = (DeliveryState::Error, moved, race.two.one.tenant());
            assert_eq!(ended, expected, "{kind:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn move_next_to_enqueue_sends_nothing_old() {
    next_to_enqueue(Stop::BeforeInsert, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn move_next_to_only_enqueue_sends_nothing_old() {
    next_to_enqueue(Stop::BeforeInsert, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn move_before_numbers_are_drawn_sends_nothing_old() {
    next_to_enqueue(Stop::BeforeNumbers, true).await;
}
