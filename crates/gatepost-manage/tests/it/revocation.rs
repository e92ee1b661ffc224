//! Revoking a key does not wait until the uses of all keys are written.

use std::time::Duration;

use apikey_core::{KeyEdit, Overlap};
use gatepost_testkit::fault::When;

use crate::world::{OWNER, World, draft, user};

#[tokio::test(start_paused = true)]
async fn key_can_be_revoked_while_uses_are_written() {
    let (world, owner) = (World::start().await, user(OWNER));
    let (actor, key, gate) = (world.of(OWNER), world.rows.key, world.store.gate());
    let made = world.keys.create(&owner, draft(OWNER, "used")).await;
    let (used, reveal) = made.unwrap();
    let header = format!("Bearer {}", reveal.reveal().as_str());
    let present = async || {
        let from = "10.0.0.1".parse().unwrap();
        let caller = world.keys.authenticate([header.as_bytes()], from);
        caller.await.unwrap();
    };
    present().await;
    gate.hold("record_activity", 1, When::Before);
    let reader = world.of(OWNER);
    let reader = tokio::spawn(async move { reader.key(used.id).await });
    gate.arrived().await;
    // The next write has data, too.
    present().await;
    let revoked = async {
        let overlap = Overlap::seconds(60).unwrap();
        let _ = actor.roll_key(key, overlap).await.unwrap().1.reveal();
        let disabled = actor.edit_key(key, KeyEdit::switch(false)).await.unwrap();
        assert_eq!(actor.stored_key(key).await.unwrap(), disabled);
        actor.delete_key(key).await.unwrap();
    };
    let revoked = tokio::time::timeout(Duration::from_secs(1), revoked);
    revoked.await.unwrap();
    gate.open();
    reader.await.unwrap().unwrap();
}
