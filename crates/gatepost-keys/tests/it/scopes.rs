//! Lists contain exactly the keys that the caller may see, and the store looks them up.

use apikey_core::OwnerId;
use gatepost_keys::{AccessLevel, Account, TenantId};
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::{Page, Scope};

use crate::world::World;

/// Users 1 and 2 of tenant 5, of which 2 administers it; 3 of tenant 6; 4 without a tenant; 9 the
/// system administrator; 8 a system administrator in tenant 5.
async fn world() -> World {
    let world = World::new();
    let operator = Account::enabled(AccessLevel::SystemAdministrator);
    let admin = Account::enabled(AccessLevel::TenantAdministrator);
    world.users.put(1, 5);
    world.users.say(2, Some(admin.in_tenant(TenantId(5))));
    world.users.put(3, 6);
    world
        .users
        .say(8, Some(operator.clone().in_tenant(TenantId(5))));
    world.users.say(9, Some(operator));
    for owner in [1, 2, 3, 4, 8, 9] {
        world.key(owner, "key").await;
    }
    world
}

#[tokio::test(start_paused = true)]
async fn key_filters_return_only_what_caller_may_see() {
    let world = world().await;
    let (all, five, six) = (
        Scope::All,
        Scope::Tenant(TenantId(5)),
        Scope::Tenant(TenantId(6)),
    );
    let of = |owner| Scope::Owner(OwnerId(owner));
    let cases: [(u128, Scope, &[u128]); 17] = [
        (1, all, &[1]),
        (1, five, &[1]),
        (1, six, &[]),
        (1, of(2), &[]),
        (2, all, &[1, 2]),
        (2, five, &[1, 2]),
        (2, six, &[]),
        (2, of(1), &[1]),
        (2, of(3), &[]),
        (2, of(8), &[]),
        (4, all, &[4]),
        (4, five, &[]),
        (4, of(1), &[]),
        (9, all, &[1, 2, 3, 4, 8, 9]),
        (9, five, &[1, 2, 8]),
        (9, six, &[3]),
        (9, of(4), &[4]),
    ];
    for (user, scope, expected) in cases {
        for name in [None, Some("key".to_owned())] {
            let query = KeyQuery {
                scope,
                name,
                ..KeyQuery::all(Page::first(50))
            };
            let found = world.keys.list(&world.user(user), query).await.unwrap();
            let owners: Vec<_> = found.rows.iter().map(|row| row.key.owner.0).collect();
            assert_eq!(owners, expected, "{user} asks for {scope:?}");
        }
    }
}

/// The store looks up the tenant's rows: it reads none of a thousand others, so a page is full.
#[tokio::test(start_paused = true)]
async fn tenant_page_is_filled_despite_other_keys() {
    let world = world().await;
    for n in 0..300 {
        world.key(3, &format!("other {n}")).await;
    }
    world.key(1, "last").await;
    let query = KeyQuery::all(Page::first(4));
    let page = world.keys.list(&world.user(2), query).await.unwrap();
    let owners: Vec<_> = page.rows.iter().map(|row| row.key.owner.0).collect();
    // One row of the page belongs to a system administrator, whose keys a tenant administrator may
    // not see.
    assert_eq!(owners, [1, 2, 1]);
}

/// A user who has just left is not listed any more, though the store does not know it yet.
#[tokio::test(start_paused = true)]
async fn a_user_who_left_is_not_listed() {
    let world = world().await;
    world.users.put(1, 6);
    let all = KeyQuery::all(Page::first(50));
    let page = world.keys.list(&world.user(2), all).await.unwrap();
    let owners: Vec<_> = page.rows.iter().map(|row| row.key.owner.0).collect();
    assert_eq!(owners, [2]);
}

/// Keys stay with the tenant in which they were made, even after their user moves.
#[tokio::test(start_paused = true)]
async fn tenant_administrator_sees_keys_made_in_tenant() {
    let world = world().await;
    let (five, six) = (Some(TenantId(5)), Some(TenantId(6)));
    // The caller, the owner, the tenant in which the key was made.
    for (user, owner, made_in, expected) in [
        (1, 1, six, true),
        (1, 2, five, false),
        (2, 1, five, true),
        (2, 1, six, false),
        (2, 1, None, false),
        (2, 3, five, true),
        (2, 8, five, false),
        (4, 1, None, false),
        (9, 3, six, true),
    ] {
        let actor = world.user(user);
        let mut authority = world.keys.authority(&actor);
        let may = authority.may_see_made_in(OwnerId(owner), made_in).await;
        assert_eq!(may.unwrap(), expected, "{user}, {owner}, {made_in:?}");
    }
}
