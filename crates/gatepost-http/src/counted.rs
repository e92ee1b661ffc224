//! The parameters of lists of counters in addition to those of every list: the row and the period.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_manage::Actor;

use crate::error::ApiError;
use crate::query::fields::Fields;
use crate::state::Shared;

/// The parameters of a list of counters.
pub(crate) struct Counted {
    /// The row whose counters are requested.
    pub row: i64,
    pub from: DateTime<Utc>,
    pub before: DateTime<Utc>,
    pub limit: u32,
    pub fields: Fields,
}

impl Counted {
    /// Parses `ROW=2&from=…&before=…&limit=…&fields=…`. The row is required, and the default of the
    /// limit is `usual`. A limit of 0 means no limit.
    ///
    /// # Errors
    /// 422, naming the parameter.
    pub(crate) async fn read(
        query: Option<&str>,
        caller: &Actor,
        shared: &Shared,
        row: &'static str,
        usual: usize,
    ) -> Result<Self, ApiError> {
        let list = shared.asked(query, caller).await?;
        let (mut number, mut is_limited) = (None, false);
        let (mut from, mut before) = (DateTime::UNIX_EPOCH, later());
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or("").as_bytes()) {
            match &*name {
                "from" => from = time("from", &value)?,
                "before" => before = time("before", &value)?,
                "limit" => is_limited = true,
                name if name == row => number = Some(row_number(row, &value)?),
                _ => {}
            }
        }
        let most = shared.limits.rows;
        let limit = match list.limit {
            Some(limit) if limit > most => {
                return Err(ApiError::field("limit", format!("must be {most} or less")));
            }
            Some(limit) => limit,
            None if is_limited => most,
            None => usual,
        };
        Ok(Self {
            row: number.ok_or_else(|| ApiError::field(row, "is required"))?,
            from,
            before,
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            fields: list.fields,
        })
    }
}

pub(crate) fn row_number(field: &'static str, text: &str) -> Result<i64, ApiError> {
    let number = text.trim().parse().ok().filter(|row: &i64| *row > 0);
    number.ok_or_else(|| ApiError::field(field, "must be a row number"))
}

/// Returns a time after all counters in all stores.
fn later() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(u32::MAX.into())
}

/// Parses epoch seconds.
fn time(field: &str, text: &str) -> Result<DateTime<Utc>, ApiError> {
    let seconds: Option<u32> = text.trim().parse().ok();
    seconds
        .map(|seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds.into()))
        .ok_or_else(|| ApiError::field(field, "must be epoch seconds, not milliseconds"))
}
