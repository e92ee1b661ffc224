//! Users whose level changes, and with it their realm.

use super::*;

/// Immediate and late answers.
const MANNERS: [Manner; 2] = [Manner::Now, Manner::Later(Duration::from_millis(20))];

#[tokio::test(start_paused = true)]
async fn changed_levels_are_found_without_any_change() {
    for manner in MANNERS {
        let world = World::new(Rule::AddressedOnly).await;
        world.platform.set_manner(manner);
        for owner in 1..=3 {
            world.webhook(owner).await;
        }
        world.platform.user(3, 7);
        world.authorizer.run();
        world.pass(30).await;
        let solo = |owner| (Some(Realm::Solo(OwnerId(owner))), false);
        assert_eq!(world.stands(1).await, solo(1));
        world
            .platform
            .account(1, AccessLevel::SystemAdministrator, None);
        world
            .platform
            .account(3, AccessLevel::SystemAdministrator, None);
        world.pass(130).await;
        for owner in [1, 3] {
            let stands = world.stands(owner).await;
            assert_eq!(stands, (Some(Realm::System), false), "{manner:?}");
        }
        assert_eq!(world.stands(2).await, solo(2), "control");
        world.platform.user(1, None);
        world.pass(130).await;
        assert_eq!(world.stands(1).await, solo(1), "and back, {manner:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn changes_right_after_a_new_level_are_admitted() {
    for manner in MANNERS {
        let world = World::new(Rule::AddressedOnly).await;
        world.platform.set_manner(manner);
        world.authorizer.run();
        let owner = OwnerId(1);
        world.authorizer.admit_change(owner).await.unwrap();
        for round in 0..20 {
            let access = match round % 2 {
                0 => AccessLevel::SystemAdministrator,
                _ => AccessLevel::User,
            };
            world.pass(6).await;
            world.platform.account(1, access, None);
            let (first, second, told) = tokio::join!(
                world.authorizer.admit_change(owner),
                world.authorizer.admit_change(owner),
                world.authorizer.owner_changed(owner),
            );
            let all = [first.map(drop), second.map(drop), told];
            assert!(all.iter().all(Result::is_ok), "{manner:?} {round} {all:?}");
        }
    }
}
