//! Entries to store, and lists of them.

use std::sync::Arc;

use gatepost_ids::{KeyId, OwnerId, TenantId};
use gatepost_storage::audit::{AuditEntry, AuditQuery, AuditRow};
use gatepost_storage::{AuditStore, Page};

use crate::fixtures::entry;

pub(super) type Store = Arc<dyn AuditStore>;

/// Returns an entry with every field at its longest.
pub(super) fn full_entry() -> AuditEntry {
    AuditEntry {
        tenant: Some(TenantId(77)),
        actor: OwnerId(u128::MAX),
        key: Some(KeyId(i64::MAX)),
        from: Some("2001:db8::1".parse().unwrap()),
        table: "t".repeat(AuditEntry::MAX_WORD),
        name: "\u{1f511}".repeat(AuditEntry::MAX_NAME / 4),
        operation: "o".repeat(AuditEntry::MAX_WORD),
        changes: "'\"\u{0}\u{202e}\n".replace('\u{0}', "0") + &"x".repeat(4000),
        ..entry(1, 1 << 63, 1)
    }
}

pub(super) async fn list(store: &Store, query: &AuditQuery) -> Vec<AuditRow> {
    store.list_audit(query).await.unwrap()
}

pub(super) fn newest() -> AuditQuery {
    AuditQuery::all(Page::newest(999))
}
