//! `audit_log`: the audit log, read-only.

mod columns;

use async_trait::async_trait;
use gatepost_manage::{Actor, Changes, LoggedChange};
use gatepost_storage::Scope;
use gatepost_storage::audit::{AuditId, AuditQuery};
use serde_json::Value;
use webhook_model::{ObjectId, OwnerId};

use super::row::{epoch, if_there, page, row, scanned};
use crate::error::Result;
use crate::resource::{Hints, Resource, Scan, Scanned};
use crate::schema::{KEY, RowMap, Table, number};

#[derive(Debug)]
pub(super) struct AuditLog;

#[async_trait]
impl Resource for AuditLog {
    fn table(&self) -> &'static Table {
        &columns::TABLE
    }

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned> {
        if let Some(key) = scan.equal.key(KEY) {
            if scan.after.is_some() {
                return Ok(Scanned::default());
            }
            let found = if_there(caller.logged_change(AuditId(key)).await)?;
            let rows = found.iter().map(change_row).collect();
            return Ok(Scanned { rows, next: None });
        }
        let record = scan.equal.text("record").and_then(record);
        let query = AuditQuery {
            scope: user(scan.equal, "user").map_or(Scope::All, Scope::Owner),
            actor: user(scan.equal, "actor"),
            record,
            ..AuditQuery::all(page(&scan, AuditId))
        };
        let found = caller.logged_changes(&query).await?;
        Ok(scanned(found, change_row, |id| id.0).await)
    }

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap> {
        let key = number(key)?;
        Ok(change_row(&caller.logged_change(AuditId(key)).await?))
    }
}

/// Returns the user that a column must name.
fn user(equal: &Hints<'_>, column: &str) -> Option<OwnerId> {
    let (_, user) = equal.text(column)?.split_once('/')?;
    user.parse().ok()
}

/// Splits `table/key`.
fn record(text: &str) -> Option<(String, ObjectId)> {
    let (table, key) = text.split_once('/')?;
    Some((table.to_owned(), key.parse().ok()?))
}

fn change_row(change: &LoggedChange) -> RowMap {
    let from = change.from.map(|from| from.to_string());
    row(
        change.id.0,
        [
            ("created", epoch(Some(change.at))),
            ("user", format!("users/{}", change.owner).into()),
            ("actor", format!("users/{}", change.actor).into()),
            ("user_api_key", change.key.map_or(0, |key| key.0).into()),
            ("address", from.unwrap_or_default().into()),
            ("record", format!("{}/{}", change.table, change.row).into()),
            ("name", change.name.as_str().into()),
            ("action", change.operation.as_str().into()),
            ("changes", changes(&change.changes)),
        ],
    )
}

fn changes(changes: &Changes) -> Value {
    let fields = changes.iter().map(|change| {
        let values = change.values.as_ref();
        let values = values.map(|(old, new)| vec![old.as_str(), new.as_str()]);
        (change.field.to_string(), Value::from(values))
    });
    Value::Object(fields.collect())
}
