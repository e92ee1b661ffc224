//! Lists of deliveries: ids in order from the index of a source, then their states, until a page is
//! full; all in one snapshot of the database, by statements that are planned once.

mod source;

use std::ops::Range;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{Delivery, DeliveryQuery, DeliveryState};
use gatepost_storage::{Bodies, Order};
use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use self::source::{BEGIN, Key, Source, sources};
use super::row;
use crate::column::scope_ids;
use crate::db::{Param, Tx};
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const STATES: &str = sql!("log/states");
const ROWS: &str = sql!("log/rows");
const SIZES: &str = sql!("log/sizes");
const BOUND: &str = sql!("log/bound");
const FIRST: &str = "SELECT first FROM :schema.gatepost_kept";
const FIRST_WAITING: &str = "SELECT min(id) FROM :schema.gatepost_queue";
/// The assumed maximum difference between the clocks of two processes, for searches by the time at
/// which a delivery was created.
const SKEW: TimeDelta = TimeDelta::seconds(60);
/// The maximum number of ids in one query.
const MOST: i64 = 2_048;
/// The maximum duration of a list.
const LONGEST: Duration = Duration::from_secs(10);
const TOO_LONG: &str = "the list takes longer than 10 s: ask for a webhook, or a shorter time";

impl PostgresStore {
    pub(super) async fn some_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
        if is_short(query) {
            let tx = self.db().begin(BEGIN).await?;
            return listed(tx, query).await;
        }
        let room = self.db().reader().await?;
        let long = async {
            let tx = self.db().begin_long(BEGIN, room, LONGEST).await?;
            listed(tx, query).await
        };
        let rows = timeout(LONGEST, long).await;
        rows.unwrap_or_else(|_| Err(Failure::unavailable(TOO_LONG)))
    }

    /// Returns the bounds of the ids of all deliveries that were created in this span; they may
    /// include some others.
    pub(super) async fn bounds(
        &self,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<(i64, i64)> {
        let low = self.db().row(BOUND, &[&earlier(from)]).await?;
        let high = self.db().row(&above(), &[&later(before)]).await?;
        Ok((low.try_get(0)?, high.try_get(0)?))
    }
}

/// Lists deliveries in a transaction that began with `BEGIN`.
async fn listed(tx: Tx, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
    let mut ids = Vec::new();
    for (source, range) in parts(&tx, query).await? {
        ids.extend(matching(&tx, query, source, range).await?);
    }
    ids.sort_unstable();
    ids.dedup();
    if query.page.order == Order::Descending {
        ids.reverse();
    }
    ids.truncate(query.page.limit as usize);
    let bodies = query.page.bodies;
    if let Bodies::UpTo(_) = bodies {
        let sizes = sizes(&tx, &ids).await?;
        ids.truncate(bodies.rows(sizes));
    }
    let rows = match ids.is_empty() {
        true => Vec::new(),
        false => tx.query(ROWS, &[&ids, &bodies.are_read()]).await?,
    };
    tx.commit().await?;
    rows.iter().map(row::delivery).collect()
}

/// Returns whether the list reads only deliveries that wait or run: the engine needs such lists,
/// and they must not wait for long ones.
fn is_short(query: &DeliveryQuery) -> bool {
    let is_short = |source: &Source| matches!(source, Source::Queue { .. } | Source::Running);
    sources(query).iter().all(is_short)
}

/// Returns the sources, with the range of ids for each. Deliveries that are too old are listed only
/// if they wait or run.
async fn parts(tx: &Tx, query: &DeliveryQuery) -> Result<Vec<(Source, Range<i64>)>> {
    let mut range = i64::MIN..i64::MAX;
    if let Some(after) = query.page.after {
        match query.page.order {
            Order::Ascending => range.start = after.0.saturating_add(1),
            Order::Descending => range.end = after.0,
        }
    }
    if let Some(from) = query.created_from {
        range.start = range.start.max(number(tx, BOUND, &[&earlier(from)]).await?);
    }
    if let Some(before) = query.created_before {
        let above = number(tx, &above(), &[&later(before)]).await?;
        range.end = range.end.min(above);
    }
    let mut parts = Vec::new();
    for source in sources(query) {
        if !matches!(source, Source::Log { .. } | Source::Failed) {
            parts.push((source, range.clone()));
            continue;
        }
        let first = number(tx, FIRST, &[]).await?;
        parts.push((source, range.start.max(first)..range.end));
        if matches!(source, Source::Log { .. }) {
            let old = range.start..range.end.min(first);
            parts.push((Source::Queue { marked: false }, old.clone()));
            parts.push((Source::Running, old));
        }
    }
    if matches!(Key::of(query), Key::Task(_)) {
        // Only the log knows the task of a waiting delivery.
        let first = number(tx, FIRST_WAITING, &[]).await?;
        for (source, range) in &mut parts {
            if matches!(source, Source::Queue { .. }) {
                range.start = range.start.max(first);
            }
        }
    }
    Ok(parts)
}

/// Returns the ids of a page from one source in this range.
async fn matching(
    tx: &Tx,
    query: &DeliveryQuery,
    source: Source,
    mut range: Range<i64>,
) -> Result<Vec<i64>> {
    let key = Key::of(query);
    let sql = source.sql(key, query.page.order);
    let wanted = query.page.limit as usize;
    let mut found = Vec::new();
    // A few more than wanted: a delivery that ended in between is left out.
    let mut ask = i64::from(query.page.limit).saturating_add(4).min(MOST);
    while !range.is_empty() && found.len() < wanted {
        let mut params: Vec<Param<'_>> = vec![&range.start, &range.end, &ask];
        params.extend(key.value());
        let rows = tx.query(&sql, &params).await?;
        let ids = rows.iter().map(|row| Ok(row.try_get(0)?));
        let ids: Vec<i64> = ids.collect::<Result<_>>()?;
        let Some(last) = ids.last().copied() else {
            break;
        };
        for row in tx.query(STATES, &[&ids]).await? {
            if is_asked_for(query, source, &row)? {
                found.push(row.try_get("id")?);
            }
        }
        if i64::try_from(ids.len()).is_ok_and(|given| given < ask) {
            break;
        }
        match query.page.order {
            Order::Ascending => range.start = last.saturating_add(1),
            Order::Descending => range.end = last,
        }
        ask = (ask * 4).min(MOST);
    }
    Ok(found)
}

fn is_asked_for(query: &DeliveryQuery, source: Source, row: &Row) -> Result<bool> {
    let state = DeliveryState::from_word(row.try_get("state")?)
        .ok_or_else(|| Failure::corrupt("state", "unknown word"))?;
    let created: DateTime<Utc> = row.try_get("created")?;
    let (owner, tenant) = scope_ids(query.scope);
    Ok(gives(source, state)
        && (query.states.is_empty() || query.states.contains(&state))
        && (query.class.is_none() || query.class.as_deref() == Some(row.try_get("class")?))
        && query.created_from.is_none_or(|from| created >= from)
        && query.created_before.is_none_or(|before| created < before)
        && is(row, "webhook", query.webhook.map(|id| id.0))?
        && is(row, "task", query.task.map(|id| id.0))?
        && is(row, "owner", owner)?
        && is(row, "tenant", tenant)?)
}

/// Returns whether a column has the requested value, if there is one.
fn is<T>(row: &Row, column: &str, asked: Option<T>) -> Result<bool>
where
    T: for<'a> FromSql<'a> + PartialEq,
{
    let value: Option<T> = row.try_get(column)?;
    Ok(asked.is_none_or(|asked| value == Some(asked)))
}

/// Returns whether a source lists deliveries in this state.
fn gives(source: Source, state: DeliveryState) -> bool {
    match source {
        Source::Log { .. } => true,
        Source::Queue { .. } => state == DeliveryState::Queued,
        Source::Running => state == DeliveryState::Running,
        Source::Failed => state == DeliveryState::Error,
        Source::Odd => state == DeliveryState::Sent,
    }
}

/// Returns the statement for the upper bound: like [`BOUND`], the id before which all deliveries
/// are that were stored before a time. A waiting delivery may have outlived its partition; its id
/// is below all others.
fn above() -> String {
    let first =
        "SELECT d.id FROM :schema.gatepost_delivery d WHERE d.id >= b.low ORDER BY d.id LIMIT 1";
    let next = "SELECT last_value + 1 FROM :schema.gatepost_delivery_id_seq";
    format!("SELECT coalesce(({first}), ({next})) FROM ({BOUND}) b")
}

/// Returns the bytes of the messages of these deliveries, in the order of the request.
async fn sizes(tx: &Tx, ids: &[i64]) -> Result<Vec<u64>> {
    let rows = tx.query(SIZES, &[&ids]).await?;
    let size = |row: &Row| Ok(row.try_get::<_, i64>(0)?.unsigned_abs());
    rows.iter().map(size).collect()
}

/// Returns the number that a statement returns; 0 if it returns no row.
async fn number(tx: &Tx, sql: &str, params: &[Param<'_>]) -> Result<i64> {
    let rows = tx.query(sql, params).await?;
    let number: Option<i64> = rows
        .first()
        .map(|row| row.try_get(0))
        .transpose()?
        .flatten();
    Ok(number.unwrap_or(0))
}

fn earlier(time: DateTime<Utc>) -> DateTime<Utc> {
    time.checked_sub_signed(SKEW).unwrap_or(time)
}

fn later(time: DateTime<Utc>) -> DateTime<Utc> {
    time.checked_add_signed(SKEW).unwrap_or(time)
}
