//! What waited too long for a webhook that does not send: looked for beside the writer, ended in
//! short commits.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::EXPIRED_INFO;
use rusqlite::params;

use super::purge::BITE;
use crate::column::micros;
use crate::error::Answer;
use crate::store::SqliteStore;

pub(super) async fn expire(
    store: &SqliteStore,
    created_before: DateTime<Utc>,
    limit: u32,
) -> Answer<u64> {
    let before = micros(created_before);
    let ids: Vec<i64> = store
        .read(move |c| {
            let mut find = c.prepare_cached(include_str!("../sql/log/held_too_long.sql"))?;
            let ids = find.query_map(params![before, limit], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
        .await?;
    let mut ended = 0;
    for bite in ids.chunks(BITE) {
        let bite = bite.to_vec();
        ended += store
            .write(move |c| {
                let mut end = c.prepare_cached(include_str!("../sql/log/expire_held.sql"))?;
                let mut ended = 0;
                for id in bite {
                    ended += end.execute(params![id, EXPIRED_INFO])? as u64;
                }
                Ok(ended)
            })
            .await?;
    }
    Ok(ended)
}
