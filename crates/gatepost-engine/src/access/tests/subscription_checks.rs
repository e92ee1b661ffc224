//! Checks of what users may watch, before there is an event.

use std::time::Duration;

use gatepost_ids::{Audience, ObjectId, OwnerId};
use webhook_model::Target;

use super::super::testing::Manner;
use super::super::{Decision, Hearing};
use super::{SECOND, TENANT, World, event};
use crate::error::EngineError;

#[tokio::test(start_paused = true)]
async fn event_is_refused_as_forbidden_or_as_dangling() {
    let world = World::watching().await;
    let owner = OwnerId(1);
    assert!(world.authorizer.may_watch(owner, &event()).await.is_ok());
    let changed = async |may| {
        world.platform.may(1, may);
        tokio::time::advance(5 * SECOND).await;
        world
            .authorizer
            .may_watch(owner, &event())
            .await
            .unwrap_err()
    };
    let refused = changed(Decision::No).await;
    assert_eq!(refused.to_string(), "You may not watch this object");
    assert!(matches!(refused, EngineError::Forbidden(_)));
    let dangling = changed(Decision::NoSuchObject).await;
    assert_eq!(dangling.to_string(), "owner: does not exist");
    assert!(matches!(dangling, EngineError::Dangling(_)));
    world.platform.set_watch_manner(Manner::Hangs);
    assert!(matches!(
        changed(Decision::Yes).await,
        EngineError::Platform(_)
    ));
    let addressed = World::addressed().await;
    assert!(
        addressed
            .authorizer
            .may_watch(owner, &event())
            .await
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn event_checks_of_one_tenant_block_no_other() {
    let world = World::watching().await;
    world.platform.set_watch_manner(Manner::Hangs);
    for owner in 10..20_u32 {
        world.platform.user(owner.into(), 7);
        for object in 0..8 {
            let (authorizer, mut event) = (world.authorizer.clone(), event());
            event.target = Target::Instance(ObjectId::from(100 * owner + object));
            tokio::spawn(async move { authorizer.may_watch(owner.into(), &event).await });
        }
    }
    tokio::time::sleep(SECOND).await;
    world.platform.set_watch_manner(Manner::Later(SECOND));
    assert!(
        world
            .authorizer
            .may_watch(OwnerId(4), &event())
            .await
            .is_ok()
    );
    let within = world.authorizer.may_watch(OwnerId(1), &event()).await;
    assert!(within.is_err(), "control: their limit is full");
}

/// Returns how many of 5,000 different questions are answered before one is too many; asserts that
/// the returned time is right.
async fn asked_until_too_fast(world: &World, owner: OwnerId) -> u32 {
    for object in 0..5_000 {
        let mut event = event();
        event.target = Target::Instance(ObjectId::from(object));
        match world.authorizer.may_watch(owner, &event).await {
            Ok(()) => {}
            Err(EngineError::TooFast { retry_after }) => {
                tokio::time::advance(retry_after).await;
                assert!(world.authorizer.may_watch(owner, &event).await.is_ok());
                return object;
            }
            Err(error) => panic!("{error}"),
        }
    }
    5_000
}

#[tokio::test(start_paused = true)]
async fn slow_subscription_checks_are_rate_limited_per_user() {
    let world = World::watching().await;
    let owner = OwnerId(1);
    assert_eq!(asked_until_too_fast(&world, owner).await, 5_000, "no wait");
    world.platform.watched();
    tokio::time::advance(5 * SECOND).await;
    world
        .platform
        .set_watch_manner(Manner::Later(Duration::ZERO));
    let asked = asked_until_too_fast(&world, owner).await;
    // A question takes a millisecond in which the allowance grows.
    assert!((3_000..3_500).contains(&asked), "{asked}");
    let questions = u32::try_from(world.platform.watched().len()).unwrap();
    assert!(questions <= asked + 2, "{questions}: it was not asked");
    assert!(
        world
            .authorizer
            .may_watch(OwnerId(2), &event())
            .await
            .is_ok(),
        "another of the tenant"
    );
    let heard = world.hear_waiting(Audience::Tenant(TENANT)).await;
    assert_eq!(heard[0], Hearing::Yes, "what happens is passed on");
}
