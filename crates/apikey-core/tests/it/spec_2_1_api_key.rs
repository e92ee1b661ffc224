//! SPEC 2.1 and 3: creation, the once-only key string, edits, the record.

use apikey_core::{
    DraftError, EditError, Expiration, ExpirationError, KeyEdit, KeyState, LastLogin, Peppers,
    PresentedKey,
};
use chrono::TimeDelta;

use crate::common::{draft, issue, issued, now, pepper, policy, rng};

#[test]
fn rule_1_key_shown_once_can_be_saved() {
    let new = issue(draft(), &Peppers::none());
    let masked = new.record().masked.clone();
    let (record, once) = new.into_parts();
    let key = once.reveal();
    assert!(
        key.as_str()
            .starts_with(masked.as_str().trim_end_matches('…'))
    );
    let pak = key.pak(&record.name);
    assert_eq!(pak.file_name(), "ci.PAK");
    assert_eq!(pak.contents(), key.as_str());
    assert_eq!(format!("{pak:?}"), "Pak(\"ci.PAK\", redacted)");
}

#[test]
fn rule_1_record_does_not_contain_the_key() {
    let (record, key) = issued(draft(), &Peppers::new(pepper(1)));
    let (_, secret) = key.rsplit_once('_').unwrap();
    let stored = format!("{record:?} {}", record.masked);
    for length in [6, 10, 33] {
        assert!(!stored.contains(&secret[..length]), "{stored}");
    }
    // Its printable forms do not contain it either.
    let new = issue(draft(), &Peppers::none());
    let debug = format!("{new:?}");
    let (_, once) = new.into_parts();
    let debug = format!("{debug} {once:?}");
    let revealed = once.reveal();
    let presented = PresentedKey::parse(revealed.as_str()).unwrap();
    let pak = revealed.pak(&record.name);
    let debug = format!(
        "{debug} {revealed:?} {presented:?} {pak:?} {:?}",
        record.checker()
    );
    assert!(!debug.contains(&secret[..6]), "{debug}");
}

#[test]
fn a_record_holds_what_the_form_said() {
    let mut form = draft();
    form.expiration = Expiration::At(now() + TimeDelta::days(30));
    form.ip = policy("10.0.0.0/8", "!::1");
    let (record, key) = issued(form.clone(), &Peppers::none());
    assert_eq!(record.owner, form.owner);
    assert_eq!(record.name, form.name);
    assert_eq!(record.expiration, form.expiration);
    assert_eq!(record.ip, form.ip);
    assert_eq!(record.created, now());
    assert_eq!(record.last_login, None);
    assert_eq!(record.lookup, PresentedKey::parse(&key).unwrap().lookup());
    assert_eq!(record.state(now()), KeyState::Active);
}

#[test]
fn a_key_cannot_be_born_expired() {
    let mut form = draft();
    for at in [now(), now() - TimeDelta::nanoseconds(1)] {
        form.expiration = Expiration::At(at);
        let prefix = "gp".parse().unwrap();
        let made = form
            .clone()
            .issue(&prefix, &Peppers::none(), &mut rng(1), now());
        let expected = DraftError::Expiration(ExpirationError::NotInFuture);
        assert_eq!(made.unwrap_err(), expected);
        let masked = "old".parse().unwrap();
        let made = form.clone().import_sha256([0; 32], masked, now(), now());
        assert_eq!(made.unwrap_err(), expected);
    }
}

#[test]
fn rule_3_edit_changes_only_metadata_and_access() {
    let (record, _) = issued(draft(), &Peppers::none());
    let edit = KeyEdit::default()
        .with_name("cd".parse().unwrap())
        .with_description("deploys".parse().unwrap())
        .with_expiration(Expiration::At(now() + TimeDelta::days(60)))
        .with_ip_allow("::1".parse().unwrap())
        .with_ip_deny("::2".parse().unwrap());
    let edited = edit.apply(&record, now()).unwrap();
    let mut expected = record.clone();
    expected.name = "cd".parse().unwrap();
    expected.description = "deploys".parse().unwrap();
    expected.expiration = Expiration::At(now() + TimeDelta::days(60));
    expected.ip = policy("::1", "::2");
    assert_eq!(edited, expected);
    assert_eq!(edited.digest, record.digest);
    assert_eq!(edited.state(now()), KeyState::Active);
}

#[test]
fn key_edit_leaves_unset_fields_unchanged() {
    let mut form = draft();
    form.ip = policy("10.0.0.0/8", "::1");
    let (record, _) = issued(form, &Peppers::none());
    assert!(KeyEdit::default().is_empty());
    assert_eq!(KeyEdit::default().apply(&record, now()), Ok(record.clone()));
    let edit = KeyEdit::default().with_ip_allow("".parse().unwrap());
    assert!(!edit.is_empty());
    assert_eq!(edit.apply(&record, now()).unwrap().ip, policy("", "::1"));
}

#[test]
fn expired_key_cannot_be_reactivated_by_edit() {
    let at = now() + TimeDelta::days(1);
    let mut form = draft();
    form.expiration = Expiration::At(at);
    let (record, _) = issued(form, &Peppers::none());
    let edit = KeyEdit::default().with_expiration(Expiration::Never);
    assert!(edit.apply(&record, at - TimeDelta::nanoseconds(1)).is_ok());
    for edit in [edit, KeyEdit::default()] {
        assert!(matches!(
            edit.apply(&record, at),
            Err(EditError::Expired(_))
        ));
    }
    assert_eq!(record.state(at), KeyState::Expired);
}

#[test]
fn key_edit_cannot_set_past_expiration() {
    let (record, _) = issued(draft(), &Peppers::none());
    let edit = KeyEdit::default().with_expiration(Expiration::At(now()));
    let expected = EditError::Expiration(ExpirationError::NotInFuture);
    assert_eq!(edit.apply(&record, now()), Err(expected));
}

#[test]
fn last_login_ignores_late_reports_of_older_logins() {
    let (mut record, _) = issued(draft(), &Peppers::none());
    let login = |seconds, from: &str| LastLogin {
        at: now() + TimeDelta::seconds(seconds),
        from: from.parse().unwrap(),
    };
    for (reported, stays) in [(5, 5), (3, 5), (9, 9), (8, 9)] {
        record.record_login(login(reported, "10.0.0.1"));
        assert_eq!(record.last_login, Some(login(stays, "10.0.0.1")));
    }
    record.record_login(login(9, "10.0.0.2"));
    assert_eq!(record.last_login, Some(login(9, "10.0.0.2")));
}
