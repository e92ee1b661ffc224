//! What receivers have fetched.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Acknowledged, Acknowledgement, DeliveryId, FETCHED_INFO};

use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const ACKNOWLEDGE: &str = include_str!("../sql/queue/acknowledge.sql");

impl PostgresStore {
    pub(super) async fn end_fetched(
        &self,
        fetched: &Acknowledgement,
        now: DateTime<Utc>,
    ) -> Result<Vec<Acknowledged>> {
        let handed = fetched.deliveries.iter();
        let (ids, attempts): (Vec<i64>, Vec<i32>) = handed
            .map(|one| {
                // No row has as many.
                let attempts = i32::try_from(one.attempts).unwrap_or(i32::MAX);
                (one.delivery.0, attempts)
            })
            .unzip();
        let params: [Param<'_>; 6] = [
            &fetched.webhook.0,
            &ids,
            &attempts,
            &now,
            &FETCHED_INFO,
            &fetched.keep_messages,
        ];
        let answers = self.repeated(&[(ACKNOWLEDGE, &params[..])]).await?;
        let ended = answers.last().into_iter().flatten().map(|row| {
            let bytes: Option<i64> = row.try_get("bytes")?;
            Ok(Acknowledged {
                delivery: DeliveryId(row.try_get("id")?),
                bytes: u64::try_from(bytes.unwrap_or(0))
                    .map_err(|e| Failure::corrupt("body", e))?,
            })
        });
        ended.collect()
    }
}
