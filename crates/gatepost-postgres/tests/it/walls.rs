//! What is locked in one place costs nobody of another a lock, a connection or a permit.

use gatepost_ids::Place;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::at;
use tokio::time::timeout;

use crate::locks::{SOON, one, two_where};

/// One of the tenants whose places have the hash of one that every emit shares.
fn as_by_hash(of: Place) -> String {
    format!("hashtext('tenant:' || n) & 63 = hashtext('{of}') & 63")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_every_emit_shares_is_locked_by_no_tenant() {
    for shared in [Place::Operators, Place::Common] {
        let two = two_where(&as_by_hash(shared)).await;
        let basis = two.basis_of(&[two.other, shared]).await;
        let change = two.change_that_hangs().await;
        let emit = Enqueue {
            basis,
            ..one(two.of_other, "m")
        };
        let stored = timeout(SOON, two.b.enqueue(emit, at(0))).await;
        let stored = stored.expect("held up").unwrap();
        assert!(matches!(stored, Enqueued::Stored { .. }), "{stored:?}");
        assert!(!change.is_finished(), "the change still holds its lock");
        two.let_go().await;
        change.await.unwrap().unwrap();
    }
}
