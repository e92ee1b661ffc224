//! Keys of another system.

use apikey_core::{Expiration, IpPolicy, MaskedKey, Prefix, RateLimit};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_keys::{
    AccessLevel, Account, Denied, KeyError, KeyService, OwnerId, Quota, RequestLimits, TenantId,
    Via,
};
use gatepost_storage::keys::KeyRow;
use gatepost_storage::{Clock, KeyStore, OwnerStore};
use sha2::{Digest, Sha256};

use crate::world::{World, beyond, draft};

const TOKEN: &str = "acme_0f4a9c27b1d84e6f";

fn world() -> World {
    let world = World::with(Quota::UNLIMITED.with_keys(0).with_key_changes_per_minute(0));
    let administrator = Account::enabled(AccessLevel::SystemAdministrator);
    world.users.say(9, Some(administrator));
    world
}

fn masked() -> MaskedKey {
    "acme_0f4a…".parse().unwrap()
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

async fn imported(world: &World, draft: apikey_core::KeyDraft) -> Result<KeyRow, KeyError> {
    let created = "2024-05-01T00:00:00Z".parse().unwrap();
    let by = world.user(9);
    world
        .keys
        .import(&by, draft, digest(TOKEN), masked(), created)
        .await
}

async fn owner_of(keys: &KeyService, token: &str) -> Result<OwnerId, Denied> {
    let header = format!("Bearer {token}");
    let from = [10, 0, 0, 1].into();
    let caller = keys.authenticate([header.as_bytes()], from).await?;
    Ok(caller.owner)
}

#[tokio::test]
async fn imported_token_is_accepted_right_after_a_refusal() {
    let world = world();
    assert!(owner_of(&world.keys, TOKEN).await.is_err());
    let row = imported(&world, draft(1, "deploy")).await.unwrap();
    assert_eq!(row.key.masked.as_str(), "acme_0f4a…");
    assert_eq!(row.key.created.to_rfc3339(), "2024-05-01T00:00:00+00:00");
    assert_eq!(owner_of(&world.keys, TOKEN).await, Ok(OwnerId(1)));
    assert!(
        owner_of(&world.keys, "acme_0f4a9c27b1d84e6e")
            .await
            .is_err()
    );
}

#[tokio::test]
async fn repeated_import_returns_existing_key() {
    let world = world();
    let row = imported(&world, draft(1, "deploy")).await.unwrap();
    let again = imported(&world, draft(1, "renamed")).await.unwrap();
    assert_eq!((again.id, again.key.name), (row.id, row.key.name));
    // A caller who names the digest of another user's key does not get that key, and a name can be
    // taken only once.
    let others = imported(&world, draft(2, "deploy")).await;
    assert!(matches!(others, Err(KeyError::OthersToken)), "{others:?}");
    let (by, now) = (world.user(9), world.clock.now());
    let named = world
        .keys
        .import(&by, draft(1, "deploy"), digest("another"), masked(), now);
    let named = named.await;
    assert!(matches!(named, Err(KeyError::NameTaken)), "{named:?}");
    assert_eq!(world.store.count_keys(OwnerId(1)).await.unwrap(), 1);
}

#[tokio::test]
async fn import_requires_system_administrator_and_existing_user() {
    let world = world();
    let now = world.clock.now();
    for access in [AccessLevel::User, AccessLevel::TenantAdministrator] {
        let account = Account::enabled(access).in_tenant(TenantId(1));
        world.users.say(3, Some(account));
        let by = world.user(3);
        let own = world
            .keys
            .import(&by, draft(3, "own"), digest(TOKEN), masked(), now);
        assert!(matches!(own.await, Err(KeyError::Forbidden)), "{access:?}");
    }
    world.users.say(4, None);
    let nobodys = imported(&world, draft(4, "k")).await;
    assert!(matches!(nobodys, Err(KeyError::NoSuchOwner)), "{nobodys:?}");
    let expired = draft(1, "k").with_expiration(Expiration::At(now - TimeDelta::seconds(1)));
    let expired = imported(&world, expired).await;
    assert!(matches!(expired, Err(KeyError::Draft(_))), "{expired:?}");
    assert!(owner_of(&world.keys, TOKEN).await.is_err());
}

#[tokio::test]
async fn imported_key_joins_owner_tenant_without_future_date() {
    let world = world();
    let account = Account::enabled(AccessLevel::User).in_tenant(TenantId(7));
    world.users.say(1, Some(account));
    let (by, now) = (world.user(9), world.clock.now());
    let row = world.keys.import(
        &by,
        draft(1, "k"),
        digest(TOKEN),
        masked(),
        DateTime::<Utc>::MAX_UTC,
    );
    assert_eq!(row.await.unwrap().key.created, now);
    let stands = world.store.owner(OwnerId(1)).await.unwrap().unwrap();
    assert_eq!(stands.realm.tenant(), Some(TenantId(7)));
}

#[tokio::test]
async fn import_exceeds_neither_acting_key_nor_platform_limits() {
    let world = World::new();
    let administrator = Account::enabled(AccessLevel::SystemAdministrator);
    world.users.say(9, Some(administrator));
    let ip = IpPolicy {
        allow: "10.0.0.1".parse().unwrap(),
        ..IpPolicy::default()
    };
    let bounded = draft(9, "bounded").with_ip(ip);
    let (bounded, _) = world.keys.create(&world.user(9), bounded).await.unwrap();
    let mut by = world.user(9);
    by.via = Via::Key(bounded.id);
    let now = world.clock.now();
    let wide = world
        .keys
        .import(&by, draft(1, "k"), digest(TOKEN), masked(), now);
    assert!(beyond(wide.await).is_some());
    let most = RequestLimits::default().with_per_key(RateLimit::per_minute(60).unwrap());
    let keys = KeyService::builder(world.store.clone(), world.users.clone())
        .prefix(Prefix::default())
        .request_limits(most)
        .build();
    let fast = draft(1, "k").with_limit(Some(RateLimit::per_minute(61).unwrap()));
    let by = world.user(9);
    let fast = keys.import(&by, fast, digest(TOKEN), masked(), now).await;
    assert!(matches!(fast, Err(KeyError::OverLimit { .. })));
}

#[tokio::test]
async fn unavailable_store_is_not_reported_as_taken_name() {
    let world = world();
    world.store.set_refused("insert_key", true);
    let refused = imported(&world, draft(1, "deploy")).await;
    assert!(matches!(refused, Err(KeyError::Store(_))), "{refused:?}");
}
