//! The contract tests of the audit log. Each takes an empty store.

use chrono::TimeDelta;
use gatepost_ids::{ObjectId, OwnerId, TenantId};
use gatepost_storage::audit::{AuditEntry, AuditQuery, AuditRemoval};
use gatepost_storage::{ErrorKind, Order, Page, Scope};

use crate::fixtures::{at, entry};
use crate::runtime::racing;

mod entries;
mod kept;
mod restored;

use entries::{Store, full_entry, list, newest};
pub use kept::*;
pub use restored::*;

/// Returns the rows of the records that these entries are about.
async fn rows(store: &Store, query: &AuditQuery) -> Vec<i64> {
    let found = list(store, query).await;
    found
        .iter()
        .filter_map(|found| found.entry.row.as_number())
        .collect()
}

/// An entry must be returned as it was added, with times to the microsecond.
pub async fn a01_an_entry_comes_back_as_it_was_added(store: Store) {
    let precise = AuditEntry {
        at: at(0) + TimeDelta::nanoseconds(123_456_789),
        ..entry(2, 7, 0)
    };
    let added = [full_entry(), precise];
    store.append_audit(&added, 9).await.unwrap();
    let found = list(&store, &newest()).await;
    assert_eq!(found.len(), 2, "A1 both");
    assert_eq!(found[1].entry, full_entry(), "A1 every field");
    let micros = at(0) + TimeDelta::microseconds(123_456);
    assert_eq!(found[0].entry.at, micros, "A1 to the microsecond");
    assert_eq!(found[0].entry.from, None, "A1 what is not known");
    assert!(found[1].id.0 > 0, "A1 numbers are positive");
}

/// Entries must be numbered in the order in which they were added, and walked in pages in both
/// directions, while others are added.
pub async fn a02_a_walk_neither_skips_nor_repeats(store: Store) {
    let added: Vec<_> = (0..5).map(|n| entry(1, n, 9 - n)).collect();
    store.append_audit(&added[..2], 99).await.unwrap();
    store.append_audit(&added[2..], 99).await.unwrap();
    for order in [Order::Descending, Order::Ascending] {
        let mut page = Page {
            order,
            ..Page::first(2)
        };
        let mut seen = Vec::new();
        // A store that returns a row again would make an endless loop.
        for _ in 0..9 {
            let found = list(&store, &AuditQuery::all(page)).await;
            let Some(last) = found.last() else { break };
            page = page.beyond(last.id);
            seen.extend(found.iter().filter_map(|found| found.entry.row.as_number()));
            if order == Order::Descending {
                store.append_audit(&[entry(2, 9, 0)], 99).await.unwrap();
            }
        }
        seen.retain(|row| *row < 9);
        if order == Order::Descending {
            seen.reverse();
        }
        assert_eq!(seen, [0, 1, 2, 3, 4], "A2 {order:?}");
    }
}

/// A list must hold the entries of the requested owner, tenant, record, actor and time, and no
/// others.
pub async fn a03_list_matches_its_query(store: Store) {
    let of = |owner, row, seconds, tenant, actor| AuditEntry {
        tenant: Some(TenantId(tenant)),
        actor: OwnerId(actor),
        ..entry(owner, row, seconds)
    };
    let event = AuditEntry {
        table: "task_events".into(),
        ..of(1, 1, 40, 8, 1)
    };
    let added = [
        of(1, 1, 10, 7, 1),
        of(1, 2, 20, 7, 2),
        of(2, 3, 30, 7, 2),
        event,
        of(3, 4, 50, 8, 2),
    ];
    store.append_audit(&added, 99).await.unwrap();
    store.append_audit(&[entry(3, 5, 60)], 99).await.unwrap();
    let all = newest();
    let scope = |scope| AuditQuery {
        scope,
        ..all.clone()
    };
    let owner = scope(Scope::Owner(OwnerId(1)));
    let tenant = scope(Scope::Tenant(TenantId(7)));
    let actor = |query: &AuditQuery| AuditQuery {
        actor: Some(OwnerId(2)),
        ..query.clone()
    };
    let record = AuditQuery {
        record: Some(("tasks".into(), ObjectId::from(1))),
        ..all.clone()
    };
    let span = AuditQuery {
        from: Some(at(20)),
        before: Some(at(50)),
        ..all.clone()
    };
    assert_eq!(rows(&store, &all).await, [5, 4, 1, 3, 2, 1], "A3 all");
    assert_eq!(rows(&store, &owner).await, [1, 2, 1], "A3 owner");
    assert_eq!(
        rows(&store, &tenant).await,
        [3, 2, 1],
        "A3 made in the tenant"
    );
    assert_eq!(rows(&store, &actor(&all)).await, [4, 3, 2], "A3 actor");
    assert_eq!(
        rows(&store, &actor(&tenant)).await,
        [3, 2],
        "A3 actor, tenant"
    );
    assert_eq!(rows(&store, &record).await, [1], "A3 record");
    let others = AuditQuery {
        scope: Scope::Owner(OwnerId(2)),
        ..record
    };
    assert_eq!(rows(&store, &others).await, [0; 0], "A3 another's record");
    assert_eq!(rows(&store, &span).await, [1, 3, 2], "A3 from, before");
}

/// For each owner the store must keep the newest entries, as many as the caller allows; those of
/// one owner must not displace another's, however many there are.
pub async fn a04_each_owner_keeps_the_newest(store: Store) {
    store.append_audit(&[entry(2, 100, 0)], 3).await.unwrap();
    for n in 0..4 {
        store.append_audit(&[entry(1, n, 9 - n)], 3).await.unwrap();
    }
    assert_eq!(
        rows(&store, &newest()).await,
        [3, 2, 1, 100],
        "A4 one by one"
    );
    let many: Vec<_> = (10..20).map(|n| entry(1, n, n)).collect();
    store.append_audit(&many, 3).await.unwrap();
    assert_eq!(
        rows(&store, &newest()).await,
        [19, 18, 17, 100],
        "A4 a batch"
    );
    store.append_audit(&[entry(1, 20, 20)], 2).await.unwrap();
    assert_eq!(
        rows(&store, &newest()).await,
        [20, 19, 100],
        "A4 fewer than before"
    );
}

/// Entries before a given time must be removed, oldest first, at most the limit, and must no longer
/// count towards the number that their owner may keep.
pub async fn a05_old_entries_are_removed(store: Store) {
    let added = [30, 10, 20, 40].map(|second| entry(1, second, second));
    store.append_audit(&added, 4).await.unwrap();
    store.append_audit(&[entry(2, 15, 15)], 4).await.unwrap();
    assert_eq!(
        store
            .remove_audit(AuditRemoval::Before(at(30)), 1)
            .await
            .unwrap(),
        1,
        "A5 limit"
    );
    assert_eq!(
        rows(&store, &newest()).await,
        [15, 40, 20, 30],
        "A5 the oldest"
    );
    assert_eq!(
        store
            .remove_audit(AuditRemoval::Before(at(30)), 9)
            .await
            .unwrap(),
        2,
        "A5 all of them"
    );
    assert_eq!(
        store
            .remove_audit(AuditRemoval::Before(at(30)), 9)
            .await
            .unwrap(),
        0,
        "A5 none is left"
    );
    assert_eq!(
        rows(&store, &newest()).await,
        [40, 30],
        "A5 that moment stays"
    );
    let more = [50, 60].map(|second| entry(1, second, second));
    store.append_audit(&more, 4).await.unwrap();
    assert_eq!(
        rows(&store, &newest()).await,
        [60, 50, 40, 30],
        "A5 four may be kept"
    );
    store.append_audit(&[entry(1, 70, 70)], 4).await.unwrap();
    assert_eq!(
        rows(&store, &newest()).await,
        [70, 60, 50, 40],
        "A5 and only four"
    );
}

/// The entries about one owner's records must be removed on request; those of others must stay.
pub async fn a06_an_owner_can_be_forgotten(store: Store) {
    let added = [(1, 1), (2, 2), (1, 1), (1, 1)].map(|(owner, row)| entry(owner, row, 0));
    store.append_audit(&added, 4).await.unwrap();
    let forget = async |limit| {
        store
            .remove_audit(AuditRemoval::OfOwner(OwnerId(1)), limit)
            .await
            .unwrap()
    };
    assert_eq!(forget(2).await, 2, "A6 limit");
    assert_eq!(forget(9).await, 1, "A6 the rest");
    assert_eq!(forget(9).await, 0, "A6 again");
    assert_eq!(rows(&store, &newest()).await, [2], "A6 another's stays");
    let again = [1; 3].map(|owner| entry(owner, 1, 0));
    store.append_audit(&again, 3).await.unwrap();
    assert_eq!(
        rows(&store, &newest()).await,
        [1, 1, 1, 2],
        "A6 three may be kept again"
    );
}

/// If an entry is larger than it may be, all entries of the call must be refused.
pub async fn a07_oversized_entry_is_refused_whole(store: Store) {
    let long = |bytes: usize| "x".repeat(bytes + 1);
    let fine = entry(1, 1, 1);
    let too_large = [
        AuditEntry {
            table: long(AuditEntry::MAX_WORD),
            ..fine.clone()
        },
        AuditEntry {
            operation: long(AuditEntry::MAX_WORD),
            ..fine.clone()
        },
        AuditEntry {
            name: long(AuditEntry::MAX_NAME),
            ..fine.clone()
        },
        AuditEntry {
            changes: long(AuditEntry::MAX_CHANGES),
            ..fine.clone()
        },
    ];
    for bad in too_large {
        let refused = store.append_audit(&[fine.clone(), bad], 9).await;
        let kind = refused.map_err(|error| error.kind());
        assert_eq!(kind, Err(ErrorKind::Invalid), "A7");
    }
    assert_eq!(rows(&store, &newest()).await, [0; 0], "A7 nothing of them");
}

/// A number must not be given again, even if the newest entry was removed.
pub async fn a08_a_number_is_given_once(store: Store) {
    store.append_audit(&[entry(1, 1, 1)], 9).await.unwrap();
    let first = list(&store, &newest()).await[0].id;
    store
        .remove_audit(AuditRemoval::OfOwner(OwnerId(1)), 9)
        .await
        .unwrap();
    store.append_audit(&[entry(1, 2, 2)], 9).await.unwrap();
    let second = list(&store, &newest()).await[0].id;
    assert!(second > first, "A8");
}

/// If entries are added concurrently, each owner must have exactly as many of them as may be kept.
pub async fn a09_added_at_once_all_are_there(store: Store) {
    let racers = (0..16).map(|n: i64| {
        let store = store.clone();
        let mut both = vec![entry(1, n, n), entry(2, n, n)];
        if n % 2 == 0 {
            both.reverse();
        }
        async move { store.append_audit(&both, 9).await }
    });
    for racer in racing(racers).await {
        racer.unwrap();
    }
    for owner in [1, 2] {
        let query = AuditQuery {
            scope: Scope::Owner(OwnerId(owner)),
            ..newest()
        };
        let mut found = rows(&store, &query).await;
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 9, "A9 nine of sixteen, each once");
    }
}
