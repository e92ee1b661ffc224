//! Keys in a text are found, but not forged ones that only have the id of another key.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use apikey_core::{Expiration, KeyEdit, KeyId};
use chrono::TimeDelta;
use gatepost_keys::{
    AccessLevel, Account, Denied, KeyError, KeyNotice, KeyNoticeKind, KeyObserver, KeyService,
    NotForwarded, OnLeak, Principal, Quota,
};
use gatepost_storage::{Clock as _, KeyStore as _};

use crate::world::{Made, World, present};

/// An observer that stores its notices.
#[derive(Debug, Default)]
struct Told(Mutex<Vec<(KeyId, KeyNoticeKind)>>);

impl KeyObserver for Told {
    fn notice<'a>(
        &'a self,
        notice: KeyNotice,
    ) -> Pin<Box<dyn Future<Output = Result<(), NotForwarded>> + Send + 'a>> {
        self.0.lock().unwrap().push((notice.key, notice.kind));
        Box::pin(async { Ok(()) })
    }
}

struct Scanner {
    world: World,
    keys: KeyService,
    told: Arc<Told>,
    admin: Principal,
}

impl Scanner {
    fn new() -> Self {
        let (world, told) = (World::new(), Arc::new(Told::default()));
        let keys = KeyService::builder(world.store.clone(), world.users.clone())
            .clock(world.clock.clone())
            .quotas(Arc::new(Quota::UNLIMITED))
            .observer(told.clone())
            .build();
        let account = Account::enabled(AccessLevel::SystemAdministrator);
        world.users.say(99, Some(account));
        let admin = world.user(99);
        Self {
            world,
            keys,
            told,
            admin,
        }
    }

    async fn report(&self, text: &str, then: OnLeak) -> Vec<KeyId> {
        let found = self.keys.report_leaked(&self.admin, text, then).await;
        found.unwrap().iter().map(|row| row.id).collect()
    }

    fn told(&self) -> Vec<(KeyId, KeyNoticeKind)> {
        std::mem::take(&mut self.told.0.lock().unwrap())
    }
}

fn text_of(key: &Made) -> &str {
    key.header.strip_prefix("Bearer ").unwrap()
}

#[tokio::test]
async fn leaked_keys_of_all_users_are_reported_once() {
    let at = Scanner::new();
    let (a, b) = (at.world.key(1, "a").await, at.world.key(2, "b").await);
    let unused = at.world.key(3, "c").await;
    let text = format!(
        "curl -H 'Authorization: Bearer {}'\nKEY={}; é{}\u{202e}",
        text_of(&b),
        text_of(&a),
        text_of(&b),
    );
    assert_eq!(at.report(&text, OnLeak::Report).await, [a.id, b.id]);
    let hour = at.world.clock.now();
    let told = [a.id, b.id].map(|key| (key, KeyNoticeKind::Leaked { hour }));
    assert_eq!(at.told(), told);
    for key in [&a, &b, &unused] {
        assert_eq!(present(&at.keys, key).await, Ok(()), "nothing else is done");
    }
}

#[tokio::test]
async fn text_without_whole_valid_key_reports_nothing() {
    let at = Scanner::new();
    let key = at.world.key(1, "a").await;
    let deleted = at.world.key(1, "deleted").await;
    at.keys.delete(&at.world.user(1), deleted.id).await.unwrap();
    at.told();
    let whole = text_of(&key);
    for text in [
        "",
        "no key",
        &whole[1..whole.len() - 1],
        &format!("x{whole}x"),
        &format!("{whole}_{whole}"),
        // Anybody who saw the masked form or the id can make this key.
        text_of(&key.forged(1)),
        text_of(&deleted),
    ] {
        assert_eq!(at.report(text, OnLeak::Delete).await, []);
    }
    assert_eq!(at.told(), []);
    assert_eq!(present(&at.keys, &key).await, Ok(()));
    let both = format!("{} {whole}", text_of(&key.forged(1)));
    assert_eq!(at.report(&both, OnLeak::Report).await, [key.id]);
}

#[tokio::test]
async fn leaked_keys_are_disabled_or_deleted_everywhere() {
    let at = Scanner::new();
    let other = at.world.process();
    let (a, b) = (at.world.key(1, "a").await, at.world.key(1, "b").await);
    for key in [&a, &b] {
        assert_eq!(present(&other, key).await, Ok(()));
    }
    assert_eq!(at.report(text_of(&a), OnLeak::Disable).await, [a.id]);
    let row = at.world.store.key(a.id).await.unwrap().unwrap();
    assert!(!row.key.enabled);
    assert_eq!(at.report(text_of(&b), OnLeak::Delete).await, [b.id]);
    assert_eq!(at.world.store.key(b.id).await.unwrap(), None);
    for key in [&a, &b] {
        assert_eq!(present(&other, key).await, Err(Denied::Unauthenticated));
    }
    let news: Vec<_> = at.told().into_iter().map(|(_, news)| news).collect();
    assert!(matches!(
        news[..],
        [
            KeyNoticeKind::Leaked { .. },
            KeyNoticeKind::Leaked { .. },
            KeyNoticeKind::Deleted
        ]
    ));
    // The disabled key is found again: somebody could still enable it.
    let both = format!("{} {}", text_of(&a), text_of(&b));
    assert_eq!(at.report(&both, OnLeak::Disable).await, [a.id]);
}

#[tokio::test]
async fn an_expired_key_is_reported_and_not_disabled() {
    let at = Scanner::new();
    let key = at.world.key(1, "a").await;
    let ends = at.world.clock.now() + TimeDelta::seconds(1);
    let edit = KeyEdit::default().with_expiration(Expiration::At(ends));
    at.keys
        .edit(&at.world.user(1), key.id, &edit)
        .await
        .unwrap();
    at.world.clock.advance(std::time::Duration::from_secs(1));
    assert_eq!(at.report(text_of(&key), OnLeak::Disable).await, [key.id]);
    assert_eq!(at.report(text_of(&key), OnLeak::Delete).await, [key.id]);
    assert_eq!(at.world.store.key(key.id).await.unwrap(), None);
}

#[tokio::test]
async fn leak_report_requires_system_administrator_and_bounded_text() {
    let at = Scanner::new();
    let key = at.world.key(1, "a").await;
    let refused = |text: String, by: Principal| {
        let keys = at.keys.clone();
        async move { keys.find_leaked(&by, &text).await.unwrap_err() }
    };
    let mut tenant = at.world.user(2);
    tenant.access = AccessLevel::TenantAdministrator;
    for by in [at.world.user(1), tenant] {
        let why = refused(text_of(&key).to_owned(), by).await;
        assert!(matches!(why, KeyError::Forbidden), "{why:?}");
    }
    let long = "x".repeat(1024 * 1024 + 1);
    let why = refused(long, at.admin.clone()).await;
    assert!(matches!(why, KeyError::TextTooLong), "{why:?}");
    let longest = " ".repeat(1024 * 1024 - text_of(&key).len()) + text_of(&key);
    assert_eq!(at.report(&longest, OnLeak::Report).await, [key.id]);
    let many: Vec<String> = (1..=1_001)
        .map(|round| text_of(&key.forged(round)).to_owned())
        .collect();
    let why = refused(many.join(" "), at.admin.clone()).await;
    assert!(matches!(why, KeyError::TooManyFound), "{why:?}");
    let said = format!("{why:?} {why}");
    assert!(
        !said.contains(text_of(&key)) && !said.contains("gp_"),
        "{said}"
    );
    assert_eq!(at.report(&many[1..].join(" "), OnLeak::Delete).await, []);
}
