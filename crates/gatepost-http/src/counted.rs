//! What lists of counters are asked for beside what every list is: of which row, and of which span.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_manage::Actor;

use crate::error::ApiError;
use crate::query::fields::Fields;
use crate::state::Shared;

/// The parameters of a list of counters.
pub(crate) struct Counted {
    /// The row of which something was counted.
    pub row: i64,
    pub from: DateTime<Utc>,
    pub before: DateTime<Utc>,
    pub limit: u32,
    pub fields: Fields,
}

impl Counted {
    /// Reads `ROW=2&from=…&before=…&limit=…&fields=…`, where the row is required, and the limit, if
    /// there is none, is `usual`. A limit of 0 is none.
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

/// After all that is counted, in all stores.
fn later() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(u32::MAX.into())
}

/// Epoch seconds.
fn time(field: &str, text: &str) -> Result<DateTime<Utc>, ApiError> {
    let seconds: Option<u32> = text.trim().parse().ok();
    seconds
        .map(|seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds.into()))
        .ok_or_else(|| ApiError::field(field, "must be epoch seconds, not milliseconds"))
}
