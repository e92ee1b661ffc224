//! A caller with a narrowed key has only the permissions of that key, and cannot create a key with
//! more.

use apikey_core::{Access, ExceedsCaller, Grant, KeyEdit, KeyId, NotGranted, ScopeName};
use gatepost_keys::{KeyError, KeyService, Principal, Via};

use crate::world::{Made, World, beyond, draft};

fn grant(read_only: bool, tables: &str, scopes: &str) -> Grant {
    Grant::new(read_only, tables.parse().unwrap(), scopes.parse().unwrap())
}

async fn made(world: &World, by: &Principal, name: &str, grant: Grant) -> Result<Made, KeyError> {
    let draft = draft(1, name).with_grant(grant);
    let (row, reveal) = world.keys.create(by, draft).await?;
    Ok(Made {
        id: row.id,
        lookup: row.key.lookup,
        header: format!("Bearer {}", reveal.reveal().as_str()),
    })
}

async fn caller(keys: &KeyService, key: &Made) -> Principal {
    let from = "10.0.0.1".parse().unwrap();
    let caller = keys.authenticate([key.header.as_bytes()], from).await;
    caller.unwrap()
}

#[tokio::test]
async fn caller_has_key_grant_from_store_and_cache() {
    let world = World::new();
    let narrow = grant(true, "tasks", "deploy");
    let key = made(&world, &world.user(1), "k", narrow.clone()).await;
    let key = key.unwrap();
    for keys in [&world.keys, &world.keys, &world.process()] {
        let caller = caller(keys, &key).await;
        assert_eq!(caller.grant, narrow);
        let deploy: ScopeName = "deploy".parse().unwrap();
        let other: ScopeName = "other".parse().unwrap();
        assert_eq!(caller.require_scope(&deploy), Ok(()));
        assert_eq!(caller.require_scope(&other), Err(NotGranted::Scope(other)));
    }
    assert!(world.user(1).grant.is_all(), "a login is no key");
}

#[tokio::test]
async fn edited_grant_applies_immediately_in_every_process() {
    let world = World::new();
    let key = made(&world, &world.user(1), "k", Grant::all())
        .await
        .unwrap();
    let processes = [world.keys.clone(), world.process()];
    for keys in &processes {
        assert!(caller(keys, &key).await.grant.is_all());
    }
    let edit = KeyEdit::default().with_read_only(true);
    world
        .keys
        .edit(&world.user(1), key.id, &edit)
        .await
        .unwrap();
    for keys in &processes {
        let grant = caller(keys, &key).await.grant;
        assert!(grant.allows_table("tasks", Access::Write).is_err());
    }
}

/// Returns user 1, authenticated by a key with this grant.
async fn by(world: &World, grant: Grant) -> (Principal, KeyId) {
    let acting = made(world, &world.user(1), "acting", grant.clone()).await;
    let acting = acting.unwrap().id;
    let mut by = world.user(1).with_grant(grant);
    by.via = Via::Key(acting);
    (by, acting)
}

#[tokio::test]
async fn narrowed_key_creates_no_wider_key() {
    use ExceedsCaller::{ReadOnly, Scopes, Tables};
    for (acting, new, refused) in [
        (grant(true, "", ""), Grant::all(), Some(ReadOnly)),
        (
            grant(true, "", ""),
            grant(false, "tasks", ""),
            Some(ReadOnly),
        ),
        (grant(true, "", ""), grant(true, "tasks", "deploy"), None),
        (grant(false, "tasks,vms", ""), Grant::all(), Some(Tables)),
        (
            grant(false, "tasks,vms", ""),
            grant(true, "", ""),
            Some(Tables),
        ),
        (
            grant(false, "tasks,vms", ""),
            grant(false, "tasks,users", ""),
            Some(Tables),
        ),
        (
            grant(false, "tasks,vms", ""),
            grant(false, "vms", "deploy"),
            Some(Scopes),
        ),
        (grant(false, "tasks,vms", ""), grant(true, "vms", ""), None),
        (grant(false, "", "deploy"), Grant::all(), Some(Scopes)),
        (
            grant(false, "", "deploy"),
            grant(false, "", "deploy,x"),
            Some(Scopes),
        ),
        (
            grant(false, "", "deploy"),
            grant(false, "tasks", ""),
            Some(Tables),
        ),
        (grant(false, "", "deploy"), grant(false, "", "deploy"), None),
        (Grant::all(), Grant::all(), None),
    ] {
        let world = World::new();
        let (by, _) = by(&world, acting.clone()).await;
        made(&world, &world.user(1), "by a person", new.clone())
            .await
            .unwrap();
        let made = made(&world, &by, "new", new.clone()).await;
        assert_eq!(beyond(made), refused, "{acting:?} {new:?}");
    }
}

#[tokio::test]
async fn narrowed_key_widens_and_enables_nothing_beyond_itself() {
    use ExceedsCaller::{ReadOnly, Tables};
    let world = World::new();
    let (by, acting) = by(&world, grant(true, "tasks,vms", "")).await;
    let wide = made(&world, &world.user(1), "wide", Grant::all())
        .await
        .unwrap();
    let small = made(&world, &world.user(1), "small", grant(true, "vms", "")).await;
    let small = small.unwrap();
    let names = |tables: &str| KeyEdit::default().with_tables(tables.parse().unwrap());
    let writes = KeyEdit::default().with_read_only(false);
    for (id, edit, refused) in [
        (acting, writes.clone(), Some(ReadOnly)),
        (acting, names(""), Some(Tables)),
        (acting, names("tasks,users"), Some(Tables)),
        (small.id, writes, Some(ReadOnly)),
        (small.id, names("tasks"), None),
        // Narrower than before, though still wider than the key of the request.
        (wide.id, names("users"), None),
        (wide.id, KeyEdit::switch(false), None),
        (wide.id, KeyEdit::switch(true), Some(ReadOnly)),
        (small.id, KeyEdit::switch(false), None),
        (small.id, KeyEdit::switch(true), None),
        (acting, names("tasks"), None),
    ] {
        let edited = world.keys.edit(&by, id, &edit).await;
        assert_eq!(beyond(edited), refused, "{edit:?}");
    }
    let enabled = KeyEdit::switch(true);
    world
        .keys
        .edit(&world.user(1), wide.id, &enabled)
        .await
        .unwrap();
}
