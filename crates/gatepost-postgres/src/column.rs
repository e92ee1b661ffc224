//! Columns and the values that they hold.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::Cause;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::error::{Failure, Result};

/// Returns a text column, parsed.
pub(crate) fn parse<T: FromStr<Err: Display>>(row: &Row, column: &'static str) -> Result<T> {
    stored(row, column, str::parse)
}

/// Returns a text column, parsed by `read`.
pub(crate) fn stored<T, E: Display>(
    row: &Row,
    column: &'static str,
    read: fn(&str) -> std::result::Result<T, E>,
) -> Result<T> {
    read(row.try_get(column)?).map_err(|e| Failure::corrupt(column, e))
}

/// Returns the cause of a delivery.
pub(crate) fn cause(row: &Row) -> Result<Option<Cause>> {
    let cause: Option<&str> = row.try_get("cause")?;
    let cause = cause.map(str::parse).transpose();
    cause.map_err(|e| Failure::corrupt("cause", e))
}

/// Returns text from a column of bytes, which unlike text may hold a NUL.
pub(crate) fn text<'a>(row: &'a Row, column: &'static str) -> Result<&'a str> {
    std::str::from_utf8(row.try_get(column)?).map_err(|e| Failure::corrupt(column, e))
}

/// Returns the owner in a column.
pub(crate) fn owner(row: &Row, column: &str) -> Result<OwnerId> {
    Ok(row.try_get::<_, Uuid>(column)?.into())
}

/// Returns the realm of a row.
pub(crate) fn place(row: &Row) -> Result<Realm> {
    let place = Realm::from_word(row.try_get("place")?);
    place.ok_or_else(|| Failure::corrupt("place", "unknown word"))
}

/// Returns the tenant of a row, if it has one.
pub(crate) fn tenant(row: &Row) -> Result<Option<TenantId>> {
    let tenant: Option<Uuid> = row.try_get("tenant")?;
    Ok(tenant.map(TenantId::from))
}

/// Returns the owner or the tenant of a scope, as columns.
pub(crate) fn scope_ids(scope: Scope) -> (Option<Uuid>, Option<Uuid>) {
    match scope {
        Scope::All => (None, None),
        Scope::Owner(owner) => (Some(owner.into()), None),
        Scope::Tenant(tenant) => (None, Some(tenant.into())),
    }
}

/// Returns an HTTP status.
pub(crate) fn status(row: &Row, column: &'static str) -> Result<Option<u16>> {
    let status: Option<i32> = row.try_get(column)?;
    status
        .map(u16::try_from)
        .transpose()
        .map_err(|e| Failure::corrupt(column, e))
}

/// Returns a count from a column of 64 bits.
pub(crate) fn total(row: &Row, column: &'static str) -> Result<u64> {
    u64::try_from(row.try_get::<_, i64>(column)?).map_err(|e| Failure::corrupt(column, e))
}

pub(crate) fn count(row: &Row, column: &'static str) -> Result<u32> {
    u32::try_from(row.try_get::<_, i64>(column)?).map_err(|e| Failure::corrupt(column, e))
}

/// Returns a count from a column of 32 bits.
pub(crate) fn number(row: &Row, column: &'static str) -> Result<u32> {
    u32::try_from(row.try_get::<_, i32>(column)?).map_err(|e| Failure::corrupt(column, e))
}

pub(crate) fn span(row: &Row, column: &'static str) -> Result<Option<Duration>> {
    let micros: Option<i64> = row.try_get(column)?;
    let micros = micros
        .map(u64::try_from)
        .transpose()
        .map_err(|e| Failure::corrupt(column, e))?;
    Ok(micros.map(Duration::from_micros))
}

/// Returns a duration in whole microseconds.
pub(crate) fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// Replaces NUL, the only character that PostgreSQL's text cannot hold. Responses of targets may
/// hold it and must be stored nevertheless.
pub(crate) fn without_nul(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text.into(),
    }
}

/// A column of several rows, as the array that a statement takes.
pub(crate) type Column<'a> = Box<dyn ToSql + Send + Sync + 'a>;

/// Returns the column with a value of each row.
pub(crate) fn column<'a, T, V>(rows: impl IntoIterator<Item = T>, of: impl Fn(T) -> V) -> Column<'a>
where
    V: ToSql + Send + Sync + 'a,
{
    Box::new(rows.into_iter().map(of).collect::<Vec<V>>())
}

/// Returns columns as the parameters of a statement.
pub(crate) fn params<'a>(columns: &'a [Column<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    let params = columns.iter().map(|column| &**column as _);
    params.collect()
}
