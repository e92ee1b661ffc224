//! Lists of counters: the outcomes of a webhook's deliveries by the hour, the uses of a key by the
//! day, and the deliveries that a limit rejected. The newest come first.

use apikey_core::KeyId;
use axum::extract::{RawQuery, State};
use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use gatepost_manage::Actor;
use gatepost_storage::keys::KeyUse;
use gatepost_storage::webhooks::{HourlyCount, RejectedCount};
use serde_json::json;
use webhook_model::WebhookId;

use crate::error::{ApiError, Result};
use crate::json_pieces::JsonPieces;
use crate::list::numbered;
use crate::query::fields::Fields;
use crate::state::{Caller, Shared};

/// The default number of days, hours and rejections in a response.
const DAYS: usize = 30;
const HOURS: usize = 24;
const REJECTIONS: usize = 100;

/// Handles `GET /api/v4/user_api_key_uses?key=2`: one row for each day on which the key was used or
/// refused.
pub(crate) async fn key_uses(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces> {
    let asked = Counted::read(query, &caller, &shared, "key", DAYS).await?;
    let (from, before) = asked.period()?;
    let (key, from, before) = (KeyId(asked.required()?), begun(from), begun(before));
    let uses = caller.key_uses(key, from, before, asked.limit).await?;
    let row = |day: &KeyUse| {
        [
            ("key", json!(day.key.0)),
            ("day", json!(day.begins().timestamp())),
            ("used", json!(day.used)),
            ("refused", json!(day.refused)),
        ]
    };
    numbered(&uses, row, &asked.fields, &shared).await
}

/// Handles `GET /api/v4/webhook_counts?webhook_url=2`: one row for each hour with an outcome.
pub(crate) async fn webhook_counts(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces> {
    let asked = Counted::read(query, &caller, &shared, "webhook_url", HOURS).await?;
    let (from, before) = asked.period()?;
    let webhook = WebhookId(asked.required()?);
    let counts = caller
        .webhook_counts(webhook, from, before, asked.limit)
        .await?;
    let row = |count: &HourlyCount| {
        [
            ("webhook_url", json!(count.webhook.0)),
            ("hour", json!(count.hour.timestamp())),
            ("sent", json!(count.sent)),
            ("error", json!(count.failed)),
            ("retried", json!(count.retried)),
            ("duration_ms", json!(count.milliseconds)),
            ("bytes", json!(count.bytes)),
        ]
    };
    numbered(&counts, row, &asked.fields, &shared).await
}

/// Handles `GET /api/v4/rejected_deliveries`: the counts of the webhook that `?webhook_url=` names,
/// or of all that the caller may see.
pub(crate) async fn rejected_deliveries(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces> {
    let asked = Counted::read(query, &caller, &shared, "webhook_url", REJECTIONS).await?;
    let rejected = match asked.row {
        Some(webhook) => caller.rejected_of(WebhookId(webhook), asked.limit).await?,
        None => caller.rejected(asked.limit).await?,
    };
    let row = |count: &RejectedCount| {
        [
            ("webhook_url", json!(count.webhook.0)),
            ("minute", json!(count.minute.timestamp())),
            ("reason", json!(count.reason.as_str())),
            ("count", json!(count.count)),
        ]
    };
    numbered(&rejected, row, &asked.fields, &shared).await
}

/// The parameters of a list of counters.
struct Counted {
    query: String,
    /// The name of the parameter with the row whose counters are requested.
    name: &'static str,
    row: Option<i64>,
    limit: u32,
    fields: Fields,
}

impl Counted {
    /// Parses `ROW=2&limit=…&fields=…`. The default of the limit is `usual`; 0 means no limit.
    ///
    /// # Errors
    /// 422, naming the parameter.
    async fn read(
        query: Option<String>,
        caller: &Actor,
        shared: &Shared,
        name: &'static str,
        usual: usize,
    ) -> Result<Self> {
        let query = query.unwrap_or_default();
        let list = shared.asked(Some(&query), caller).await?;
        let row = value(&query, name).map(|text| {
            let row = text.trim().parse().ok().filter(|row: &i64| *row > 0);
            row.ok_or_else(|| ApiError::field(name, "must be a row number"))
        });
        let most = shared.limits.rows;
        let limit = match (list.limit, value(&query, "limit")) {
            (Some(limit), _) if limit > most => {
                return Err(ApiError::field("limit", format!("must be {most} or less")));
            }
            (Some(limit), _) => limit,
            (None, Some(_)) => most,
            (None, None) => usual,
        };
        Ok(Self {
            row: row.transpose()?,
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            fields: list.fields,
            query,
            name,
        })
    }

    fn required(&self) -> Result<i64> {
        let row = self.row;
        row.ok_or_else(|| ApiError::field(self.name, "is required"))
    }

    /// Parses `from` and `before`: epoch seconds. The default is a period with all counters.
    fn period(&self) -> Result<(DateTime<Utc>, DateTime<Utc>)> {
        let time = |name, default: u32| -> Result<DateTime<Utc>> {
            let seconds = value(&self.query, name).map(|text| text.trim().parse());
            let seconds = seconds.unwrap_or(Ok(default));
            let rule = "must be epoch seconds, not milliseconds";
            let seconds = seconds.map_err(|_| ApiError::field(name, rule))?;
            Ok(DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds.into()))
        };
        Ok((time("from", 0)?, time("before", u32::MAX)?))
    }
}

/// Returns the last value of a parameter.
fn value(query: &str, name: &str) -> Option<String> {
    let values = url::form_urlencoded::parse(query.as_bytes()).filter(|(known, _)| known == name);
    values.last().map(|(_, value)| value.into_owned())
}

/// Returns the first day that begins at or after this time.
fn begun(at: DateTime<Utc>) -> NaiveDate {
    let day = at.date_naive();
    if at.time() == NaiveTime::MIN {
        day
    } else {
        day.checked_add_days(Days::new(1)).unwrap_or(day)
    }
}
