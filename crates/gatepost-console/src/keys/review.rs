//! The checks for a review of keys (SPEC 5.1 rule 7): unused keys, and keys that expire soon.

use std::cmp::Reverse;

use apikey_core::{ApiKey, Expiration, Grant, IpPolicy, KeyState};
use chrono::{DateTime, Utc};
use gatepost_storage::Scope;
use gatepost_storage::keys::{KeyQuery, KeyRow};
use maud::{Markup, html};

use super::usage::Usage;
use crate::choices::newest_rows;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{badge, seen};
use crate::problems::sentence;
use crate::texts::Texts;
use crate::time::distance;

/// The number of days without use after which a key is highlighted.
const UNUSED_DAYS: i64 = 90;
/// The number of days before its expiration from which a key is highlighted.
const EXPIRING_DAYS: u64 = 14;
/// The number of newest keys that the first page searches for those to be looked at.
const SEARCHED: u32 = 100;
/// The number of keys, those used last, whose refusals it reads.
const READ: usize = 10;
/// The maximum number of keys that it names.
const NAMED: usize = 5;

/// Whether the key is active and expires within 14 days.
pub(super) fn is_expiring(key: &ApiKey, now: DateTime<Utc>) -> bool {
    let left = key.expiration.days_remaining(now);
    is_active(key, now) && left.is_some_and(|days| days <= EXPIRING_DAYS)
}

/// Renders the section of the caller's newest keys that expire soon, or were refused today or
/// yesterday; nothing if there are none.
pub(crate) async fn to_review(ctx: &PageContext) -> Result<Markup, Failure> {
    let (t, now) = (ctx.texts(), ctx.now());
    let query = KeyQuery {
        scope: Scope::Owner(ctx.principal().owner),
        name: None,
        page: newest_rows(SEARCHED),
    };
    let keys = ctx.actor.keys(query).await?.rows;
    let mut by_use: Vec<_> = keys.iter().collect();
    by_use.sort_by_key(|row| Reverse(row.key.last_login.map(|login| login.at)));
    let mut found = Vec::new();
    for row in by_use.into_iter().take(READ) {
        let (_, refused) = Usage::of(ctx, row.id, 2).await?.sum(2);
        if refused > 0 {
            let count = [("count", refused.into())];
            found.push((row, t.with("keys-review-refused", &count)));
        }
    }
    let expiring = keys.iter().filter(|row| is_expiring(&row.key, now));
    let mut expiring: Vec<_> = expiring.collect();
    expiring.sort_by_key(|row| row.key.expiration.days_remaining(now));
    let why = |row: &KeyRow| expiry(t, row.key.expiration, now);
    found.extend(expiring.into_iter().map(|row| (row, why(row))));
    Ok(html! {
        @if !found.is_empty() {
            section {
                div.title { h2 { (t.of("keys-review-title")) } a href=(ctx.at("/keys")) { (t.of("keys-review-all")) } }
                ul.plain { @for (row, why) in found.iter().take(NAMED) {
                    li { a href=(ctx.at(&format!("/keys/{}", row.id))) { (seen(row.key.name.as_str())) } " " span.quiet { (why) } }
                } }
            }
        }
    })
}

/// Whether the key is active, was not used for 90 days, and was created before that.
pub(super) fn is_unused(key: &ApiKey, now: DateTime<Utc>) -> bool {
    is_active(key, now) && idle_days(key, now) >= UNUSED_DAYS
}

/// Renders the state as a badge, with the findings of the review.
pub(super) fn state(texts: &Texts, key: &ApiKey, now: DateTime<Utc>) -> Markup {
    let (kind, text) = match key.state(now) {
        KeyState::Active if !key.enabled => ("warn", "keys-disabled"),
        KeyState::Active => ("good", "keys-active"),
        KeyState::Expired => ("warn", "keys-expired"),
        KeyState::Deleted => ("bad", "keys-gone"),
    };
    html! {
        (badge(kind, &texts.of(text)))
        @if let Some(text) = narrowed(&key.grant) { " " (badge("", &texts.of(text))) }
        @for (kind, text) in marks(texts, key, now) { " " (badge(kind, &text)) }
    }
}

/// Returns a word for a key that may do less than its owner.
fn narrowed(grant: &Grant) -> Option<&'static str> {
    if grant.is_confined() {
        Some("keys-limited")
    } else {
        grant.is_read_only().then_some("keys-read-only")
    }
}

/// Returns the effects of the IP lists that the owner may not expect, in sentences; empty if there
/// are none.
pub(super) fn surprises(texts: &Texts, policy: &IpPolicy) -> String {
    let lints = policy.lint(None);
    let sentences = lints
        .iter()
        .map(|lint| sentence(&texts.rule(&lint.to_string())));
    sentences.collect::<Vec<_>>().join(" ")
}

/// Returns a text such as `expires in 3 days`, `expired 2 hours ago`, `never expires`.
pub(super) fn expiry(texts: &Texts, expiration: Expiration, now: DateTime<Utc>) -> String {
    let (Expiration::At(at), Some(left)) = (expiration, expiration.days_remaining(now)) else {
        return texts.of("keys-expiry-never").into_owned();
    };
    if expiration.is_expired(now) {
        let distance = distance(texts, at, now);
        return texts.with("keys-expiry-past", &[("distance", distance.into())]);
    }
    texts.with("keys-expiry-in", &[("count", left.into())])
}

fn marks(texts: &Texts, key: &ApiKey, now: DateTime<Utc>) -> Vec<(&'static str, String)> {
    let said = |text| texts.of(text).into_owned();
    let mut marks = Vec::new();
    if !is_active(key, now) {
        return marks;
    }
    let is_unused = is_unused(key, now);
    match key.last_login {
        None => marks.push((if is_unused { "warn" } else { "" }, said("keys-never-used"))),
        Some(_) if is_unused => {
            let idle = idle_days(key, now).unsigned_abs();
            marks.push(("warn", texts.with("keys-unused", &[("count", idle.into())])));
        }
        Some(_) => {}
    }
    if is_expiring(key, now) {
        marks.push(("warn", said("keys-expiring")));
    }
    marks
}

/// Returns the number of whole days after the last use, or after the creation of an unused key.
fn idle_days(key: &ApiKey, now: DateTime<Utc>) -> i64 {
    let since = key.last_login.map_or(key.created, |login| login.at);
    (now - since).num_days()
}

/// Whether the key is neither expired nor disabled.
pub(super) fn is_active(key: &ApiKey, now: DateTime<Utc>) -> bool {
    key.enabled && key.state(now) == KeyState::Active
}

#[cfg(test)]
mod tests {
    use apikey_core::{KeyDraft, LastLogin, OwnerId};
    use chrono::TimeDelta;

    use super::*;

    fn key(expires_in: Option<i64>, used: Option<i64>) -> (ApiKey, DateTime<Utc>) {
        let created: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let now = created + TimeDelta::days(100);
        let draft = KeyDraft::new(OwnerId(1), "ci".parse().unwrap());
        let hint = "gp_…".parse().unwrap();
        let mut key = draft
            .import_sha256([7; 32], hint, created, created)
            .unwrap();
        if let Some(days) = expires_in {
            key.expiration = Expiration::At(now + TimeDelta::days(days));
        }
        key.last_login = used.map(|days| LastLogin {
            at: now - TimeDelta::days(days),
            from: [127, 0, 0, 1].into(),
        });
        (key, now)
    }

    fn marked(expires_in: Option<i64>, used: Option<i64>) -> Vec<String> {
        let (key, now) = key(expires_in, used);
        let marks = marks(&Texts::english(), &key, now);
        marks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn unused_and_soon_expiring_keys_are_marked() {
        assert_eq!(marked(None, Some(89)), Vec::<String>::new());
        assert_eq!(marked(None, Some(90)), ["unused for 90 days"]);
        assert_eq!(marked(None, None), ["never used"]);
        assert_eq!(marked(Some(15), Some(0)), Vec::<String>::new());
        assert_eq!(marked(Some(14), Some(0)), ["expires soon"]);
        assert_eq!(marked(Some(1), None), ["never used", "expires soon"]);
        assert_eq!(marked(Some(-1), None), Vec::<String>::new(), "it has ended");
    }

    #[test]
    fn a_disabled_key_is_not_pointed_out() {
        let (mut key, now) = key(Some(1), None);
        key.enabled = false;
        assert!(!is_unused(&key, now) && !is_expiring(&key, now));
        let shown = state(&Texts::english(), &key, now).into_string();
        assert_eq!(shown, "<span class=\"badge warn\">disabled</span>");
    }

    #[test]
    fn newly_created_key_is_not_unused() {
        let (mut key, now) = key(None, None);
        assert!(is_unused(&key, now));
        key.created = now - TimeDelta::days(89);
        assert!(!is_unused(&key, now));
    }

    #[test]
    fn key_expiry_is_shown_in_words() {
        let words = |days| {
            let (key, now) = key(days, None);
            expiry(&Texts::english(), key.expiration, now)
        };
        assert_eq!(words(None), "never expires");
        assert_eq!(words(Some(3)), "expires in 3 days");
        assert_eq!(words(Some(1)), "expires in 1 day");
        assert_eq!(words(Some(-2)), "expired 2 days ago");
    }
}
