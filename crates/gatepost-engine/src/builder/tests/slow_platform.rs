//! A platform whose answers must be waited for, as one that asks its own database.

use gatepost_ids::Realm;
use gatepost_storage::owners::OwnerStore as _;
use webhook_model::OwnerId;

use super::*;
use crate::access::testing::Manner;
use crate::testing::{Records, Script, addressed};

const OWNERS: u128 = 10_000;
/// Messages per second: each owner has one every five seconds.
const A_SECOND: u128 = OWNERS / 5;

#[tokio::test(start_paused = true)]
async fn messages_of_10000_owners_leave_within_one_second() {
    let (records, platform) = (Records::new(), Platform::new());
    for owner in 0..OWNERS {
        records.tagged_of(owner, "x").await;
        let (owner, alone) = (OwnerId(owner), Realm::Solo(OwnerId(owner)));
        let placed = records.store.assign_realm(owner, alone, noon());
        placed.await.unwrap();
    }
    platform.set_manner(Manner::Later(Duration::from_millis(1)));
    let script = Arc::new(Script::new(&[]));
    let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
    let mut builder = Engine::builder(records.store.clone(), sender)
        .addressed_only(platform.clone())
        .clock(Arc::new(Going(Instant::now())));
    builder.transport = script.clone();
    let engine = builder.start().await.unwrap();
    for second in 0..15 {
        for owner in second * A_SECOND..(second + 1) * A_SECOND {
            let audience = Audience::Owner(OwnerId(owner % OWNERS));
            engine.emit(addressed(audience, &[1])).await.unwrap();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let emitted = usize::try_from((second + 1) * A_SECOND).unwrap();
        assert_eq!(script.sent().len(), emitted, "after {second} s");
    }
}
