//! Deliveries that were counted instead of stored.

use gatepost_ids::Place;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{DropReason, Dropped};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};
use webhook_model::WebhookId;

use crate::column::{micros, number, time};
use crate::error::{Failure, Result};
use crate::named::Named;

const COLUMNS: &str = "d.webhook, d.reason, d.minute, d.count";
const LIVE: &str = "EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = d.webhook)";
const NEWEST: &str = "ORDER BY d.minute DESC, d.webhook, d.reason LIMIT ?1";

pub(super) fn count(c: &Connection, dropped: &[Dropped]) -> Result<()> {
    let mut count = c.prepare_cached(include_str!("../sql/log/count_dropped.sql"))?;
    for one in dropped {
        let number = i64::try_from(one.count).unwrap_or(i64::MAX);
        let minute = micros(one.minute);
        count.execute(params![one.webhook.0, one.reason.as_str(), minute, number])?;
    }
    Ok(())
}

pub(super) fn list(c: &Connection, scope: Scope, limit: u32) -> Result<Vec<Dropped>> {
    let mut params: Vec<Value> = vec![limit.into()];
    let sql = match scope {
        Scope::All => format!(
            "SELECT {COLUMNS} FROM gatepost_dropped d INDEXED BY gatepost_dropped_at WHERE {LIVE} {NEWEST}"
        ),
        Scope::Owner(owner) => {
            params.push(owner.to_bytes().to_vec().into());
            format!(
                "SELECT {COLUMNS} FROM gatepost_dropped d INDEXED BY gatepost_dropped_of_owner \
                 WHERE d.owner = ?2 AND {LIVE} {NEWEST}"
            )
        }
        Scope::Tenant(tenant) => {
            params.push(Place::Tenant(tenant).to_string().into());
            format!(
                "SELECT {COLUMNS} FROM gatepost_owner o INDEXED BY gatepost_owner_of_place \
                 CROSS JOIN gatepost_dropped d INDEXED BY gatepost_dropped_of_owner ON d.owner = o.owner \
                 WHERE o.place = ?2 AND {LIVE} {NEWEST}"
            )
        }
    };
    let mut statement = c.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(params))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(dropped(row)?);
    }
    Ok(found)
}

fn dropped(row: &Row<'_>) -> Result<Dropped> {
    let row = &Named::of(row);
    let reason: String = row.get("reason")?;
    Ok(Dropped {
        webhook: WebhookId(row.get("webhook")?),
        reason: DropReason::from_word(&reason)
            .ok_or_else(|| Failure::corrupt("reason", "unknown word"))?,
        minute: time(row, "minute")?,
        count: number(row, "count")?,
    })
}
