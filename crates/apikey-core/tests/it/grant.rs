//! The part of a user's permissions that a key may use: grants are partially ordered, by the
//! permissions that they allow.

use apikey_core::{
    Access, ExceedsCaller, Grant, KeyDraft, KeyEdit, NotGranted, OwnerId, ScopeName,
};
use proptest::prelude::*;

use crate::common::{draft, issued, now};

const TABLES: [&str; 3] = ["tasks", "vms", "webhook_urls"];
const SCOPES: [&str; 3] = ["billing:read", "deploy", "vms"];

fn grant(read_only: bool, tables: &str, scopes: &str) -> Grant {
    Grant::new(read_only, tables.parse().unwrap(), scopes.parse().unwrap())
}

fn some(names: [&'static str; 3]) -> impl Strategy<Value = String> {
    proptest::sample::subsequence(names.to_vec(), 0..=3).prop_map(|names| names.join(","))
}

fn grants() -> impl Strategy<Value = Grant> {
    (any::<bool>(), some(TABLES), some(SCOPES))
        .prop_map(|(read_only, tables, scopes)| grant(read_only, &tables, &scopes))
}

/// Returns all answers of a grant, also for names that no grant here has.
fn allowed(grant: &Grant) -> Vec<bool> {
    let mut allowed = Vec::new();
    for touch in [Access::Read, Access::Write] {
        for table in TABLES.into_iter().chain(["others"]) {
            allowed.push(grant.allows_table(table, touch).is_ok());
        }
        for scope in SCOPES.into_iter().chain(["others"]) {
            let scope: ScopeName = scope.parse().unwrap();
            let may = grant.allows_scope(&scope).is_ok() && grant.allows_access(touch).is_ok();
            allowed.push(may);
        }
        allowed.push(grant.allows_elsewhere(touch).is_ok());
    }
    allowed
}

proptest! {
    #[test]
    fn within_is_a_partial_order(a in grants(), b in grants(), c in grants()) {
        prop_assert!(a.is_within(&a));
        prop_assert!(a.is_within(&Grant::all()));
        prop_assert_eq!(a.is_within(&b) && b.is_within(&a), a == b);
        prop_assert!(!(a.is_within(&b) && b.is_within(&c)) || a.is_within(&c));
    }

    #[test]
    fn within_means_that_nothing_more_is_allowed(a in grants(), b in grants()) {
        let within = allowed(&a).iter().zip(allowed(&b)).all(|(a, b)| !a || b);
        prop_assert_eq!(a.is_within(&b), within);
    }

    #[test]
    fn exceeding_grant_error_names_the_field_to_change(a in grants(), b in grants()) {
        let draft = |grant: &Grant| KeyDraft::new(OwnerId(1), "k".parse().unwrap()).with_grant(grant.clone());
        let beyond = draft(&a).bounds().check_within(&draft(&b).bounds()).err();
        prop_assert_eq!(beyond.is_none(), a.is_within(&b));
        // A caller who follows the error gets nearer: the named field is the one to change.
        let taken = match beyond {
            Some(ExceedsCaller::ReadOnly) => !a.is_read_only() && b.is_read_only(),
            Some(ExceedsCaller::Tables) => a.tables() != b.tables(),
            Some(ExceedsCaller::Scopes) => a.scopes() != b.scopes(),
            other => other.is_none(),
        };
        prop_assert!(taken, "{:?}", beyond);
    }
}

#[test]
fn confined_key_uses_only_named_tables_and_scopes() {
    let (tables, scope) = (grant(false, "tasks,vms", ""), grant(false, "", "deploy"));
    let deploy: ScopeName = "deploy".parse().unwrap();
    assert_eq!(tables.allows_table("vms", Access::Write), Ok(()));
    let refused = tables.allows_table("users", Access::Read).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "This API key may not use the table 'users'"
    );
    let refused = tables.allows_scope(&deploy).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "This API key does not have the scope 'deploy'"
    );
    assert_eq!(
        tables.allows_elsewhere(Access::Read),
        Err(NotGranted::Elsewhere)
    );
    assert_eq!(scope.allows_scope(&deploy), Ok(()));
    assert!(scope.allows_table("vms", Access::Read).is_err());
}

#[test]
fn a_grant_that_takes_nothing_away_is_all() {
    assert!(grant(false, "", "").is_all() && Grant::all().is_all());
    assert!(!grant(false, "vms", "").is_all() && !grant(false, "", "deploy").is_all());
}

#[test]
fn read_only_key_reads_everything_and_writes_nothing() {
    let reader = grant(true, "", "");
    assert!(!reader.is_confined() && !reader.is_all());
    assert_eq!(reader.allows_table("vms", Access::Read), Ok(()));
    let refused = reader.allows_table("vms", Access::Write).unwrap_err();
    assert_eq!(refused.to_string(), "This API key is read-only");
    assert_eq!(reader.allows_elsewhere(Access::Read), Ok(()));
    assert_eq!(
        reader.allows_elsewhere(Access::Write),
        Err(NotGranted::ReadOnly)
    );
}

#[test]
fn grant_edit_leaves_other_parts_unchanged() {
    let mut form = draft();
    form.grant = grant(true, "vms", "deploy");
    let (record, _) = issued(form, &apikey_core::Peppers::none());
    let edit = |edit: KeyEdit| edit.apply(&record, now()).unwrap();
    let tables = edit(KeyEdit::default().with_tables("tasks".parse().unwrap()));
    assert_eq!(tables.grant, grant(true, "tasks", "deploy"));
    let written = edit(
        KeyEdit::default()
            .with_read_only(false)
            .with_scopes("".parse().unwrap()),
    );
    assert_eq!(written.grant, grant(false, "vms", ""));
    let off = edit(KeyEdit::switch(false));
    assert_eq!((off.enabled, &off.grant), (false, &record.grant));
    let mut more = KeyEdit::switch(false);
    assert_eq!(more.as_switch(), Some(false));
    more.name = Some("new".parse().unwrap());
    assert_eq!(more.as_switch(), None);
    assert_eq!(KeyEdit::default().as_switch(), None);
}

#[test]
fn disabled_key_has_no_checker() {
    let (mut record, _) = issued(draft(), &apikey_core::Peppers::none());
    assert!(record.enabled && record.checker().is_some());
    record.enabled = false;
    assert_eq!(record.checker(), None);
}
