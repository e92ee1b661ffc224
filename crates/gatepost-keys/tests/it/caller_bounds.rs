//! A request with an API key cannot create a key, or widen one, beyond that key.

use apikey_core::{ExceedsCaller, Expiration, IpPolicy, KeyDraft, KeyEdit, KeyId};
use chrono::{DateTime, Utc};
use gatepost_keys::{KeyError, Principal, Via};

use crate::world::{World, beyond, draft};

fn at(text: &str) -> Expiration {
    Expiration::At(
        format!("{text}T00:00:00Z")
            .parse::<DateTime<Utc>>()
            .unwrap(),
    )
}

fn ip(allow: &str, deny: &str) -> IpPolicy {
    IpPolicy {
        allow: allow.parse().unwrap(),
        deny: deny.parse().unwrap(),
    }
}

fn bounded(name: &str, expiration: Expiration, ip: IpPolicy) -> KeyDraft {
    draft(1, name).with_expiration(expiration).with_ip(ip)
}

async fn made(world: &World, by: &Principal, draft: KeyDraft) -> Result<KeyId, KeyError> {
    let made = world.keys.create(by, draft).await;
    made.map(|(row, _)| row.id)
}

/// Returns user 1, authenticated by a key that ends in February and may be used from one network.
async fn by_key(world: &World) -> (Principal, KeyId) {
    let acting = bounded("acting", at("2026-02-01"), ip("10.0.0.0/8", ""));
    let acting = made(world, &world.user(1), acting).await.unwrap();
    let mut by = world.user(1);
    by.via = Via::Key(acting);
    (by, acting)
}

#[tokio::test]
async fn new_key_does_not_exceed_the_creating_key() {
    use ExceedsCaller::{Allow, Expiration as Later};
    let world = World::new();
    let (by, _) = by_key(&world).await;
    let (end, inside) = (at("2026-02-01"), || ip("10.1.0.0/16,10.2.0.1", "10.1.0.1"));
    for (name, expiration, ip, refused) in [
        ("never", Expiration::Never, inside(), Some(Later)),
        ("later", at("2026-02-02"), inside(), Some(Later)),
        ("anywhere", end, ip("", ""), Some(Allow)),
        ("denied", end, ip("", "192.0.2.0/24"), Some(Allow)),
        ("wider", end, ip("10.0.0.0/7", ""), Some(Allow)),
        (
            "elsewhere",
            end,
            ip("10.0.0.0/8,192.0.2.1", ""),
            Some(Allow),
        ),
        ("v6", end, ip("10.0.0.0/8,::/0", ""), Some(Allow)),
        ("same", end, ip("10.0.0.0/9,10.128.0.0/9", ""), None),
        ("off", end, ip("10.0.0.0/8,!192.0.2.1", ""), None),
        ("sooner", at("2026-01-02"), inside(), None),
    ] {
        let draft = bounded(name, expiration, ip);
        let name_of_person = format!("{name}-p").parse().unwrap();
        let by_person = draft.clone().with_name(name_of_person);
        made(&world, &world.user(1), by_person).await.unwrap();
        assert_eq!(beyond(made(&world, &by, draft).await), refused, "{name}");
    }
}

#[tokio::test]
async fn a_deny_list_is_kept() {
    let world = World::new();
    let acting = bounded("acting", Expiration::Never, ip("", "192.0.2.0/24"));
    let mut by = world.user(1);
    by.via = Via::Key(made(&world, &world.user(1), acting).await.unwrap());
    for (name, ip, refused) in [
        ("open", ip("", ""), Some(ExceedsCaller::Deny)),
        ("less", ip("", "192.0.2.0/25"), Some(ExceedsCaller::Deny)),
        ("listed", ip("192.0.2.7", ""), Some(ExceedsCaller::Allow)),
        ("more", ip("", "192.0.0.0/16"), None),
        ("other", ip("10.0.0.0/8", ""), None),
    ] {
        let draft = bounded(name, Expiration::Never, ip);
        assert_eq!(beyond(made(&world, &by, draft).await), refused, "{name}");
    }
}

#[tokio::test]
async fn edit_may_narrow_but_not_exceed_acting_key() {
    let world = World::new();
    let (by, acting) = by_key(&world).await;
    let wide = bounded("wide", Expiration::Never, ip("192.0.2.0/24", ""));
    let wide = made(&world, &world.user(1), wide).await.unwrap();
    let edit = |expiration: Option<Expiration>, allow: Option<&str>| {
        let mut edit = KeyEdit::default();
        edit.expiration = expiration;
        edit.ip_allow = allow.map(|list| list.parse().unwrap());
        edit
    };
    let (end, later) = (Some(at("2026-02-01")), Some(at("2026-02-02")));
    for (id, change, refused) in [
        // The key of the request itself.
        (
            acting,
            edit(Some(Expiration::Never), None),
            Some(ExceedsCaller::Expiration),
        ),
        (acting, edit(later, None), Some(ExceedsCaller::Expiration)),
        (acting, edit(None, Some("")), Some(ExceedsCaller::Allow)),
        // A key that is valid for longer gets none of the addresses of this one.
        (
            wide,
            edit(None, Some("10.0.0.1")),
            Some(ExceedsCaller::Expiration),
        ),
        (wide, edit(end, Some("")), Some(ExceedsCaller::Allow)),
        (wide, edit(None, Some("192.0.2.0/25")), None),
        (
            wide,
            KeyEdit::default().with_name("renamed".parse().unwrap()),
            None,
        ),
        (wide, edit(end, Some("10.0.0.0/8")), None),
        (acting, edit(Some(at("2026-01-31")), Some("10.0.0.1")), None),
    ] {
        let edited = world.keys.edit(&by, id, &change).await;
        assert_eq!(beyond(edited), refused, "{change:?}");
    }
    // The key of the request ends sooner now, and so do the keys that it creates.
    let draft = bounded("new", at("2026-02-01"), ip("10.0.0.1", ""));
    assert_eq!(
        beyond(made(&world, &by, draft).await),
        Some(ExceedsCaller::Expiration)
    );
    world.keys.delete(&by, acting).await.unwrap();
    let draft = bounded("new", at("2026-01-02"), ip("10.0.0.1", ""));
    let after = made(&world, &by, draft).await;
    assert!(matches!(after, Err(KeyError::Forbidden)), "{after:?}");
}
