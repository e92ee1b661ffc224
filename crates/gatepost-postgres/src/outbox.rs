//! The outbox: occurrences that the platform inserted in its own transactions, and the parts of
//! emits that are decided later.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::InvalidId;
use gatepost_storage::columns::OutboxColumns;
use gatepost_storage::webhooks::{
    OpenOutbox, OutboxAudience, OutboxId, OutboxRow, OutboxStore, OutboxTaken, PutBack,
    RemainingTasks, Unreadable,
};
use tokio_postgres::Row;
use uuid::Uuid;
use webhook_model::TaskId;

use crate::column::{count, without_nul};
use crate::db::Param;
use crate::error::{Answer, Failure, Result};
use crate::store::PostgresStore;

const WAITS: &str = concat!(
    sql!("outbox/waits"),
    sql!("outbox/arrived"),
    sql!("outbox/waits_end"),
);
const LOOK: &str = concat!(
    sql!("outbox/look"),
    sql!("outbox/arrived"),
    sql!("outbox/look_end"),
);
const PROMOTE: &str = sql!("outbox/promote");
const TAKE: &str = sql!("outbox/take");
const HOLD: &str = sql!("outbox/hold");
const OPEN: &str = sql!("outbox/open");
const GIVE_BACK: &str = sql!("outbox/give_back");
/// Turns need not survive a crash of the server: each row is used up only once, whichever process
/// holds the turn.
const BEGIN: &str = "BEGIN; SET LOCAL synchronous_commit = off";
/// The maximum number of audiences without rows that one call gives back before it returns nothing.
const TRIES: u32 = 1_000;

#[async_trait]
impl OutboxStore for PostgresStore {
    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Option<OutboxTaken>> {
        let holder = name(holder);
        if !self.db().is(WAITS, &[&holder, &now]).await? {
            return Ok(None);
        }
        let taking: [Param<'_>; 4] = [&holder, &i64::from(limit), &until, &now];
        let statements = [
            (LOOK, &[][..]),
            (PROMOTE, &[&now as Param<'_>][..]),
            (TAKE, &taking[..]),
        ];
        for _ in 0..TRIES {
            let answers = self.db().pipeline(BEGIN, &statements).await?;
            let rows = answers.last().map_or(&[][..], Vec::as_slice);
            let Some(first) = rows.first() else {
                if more(&answers)? {
                    continue;
                }
                return Ok(None);
            };
            let audience = audience(first)?;
            // Another process has used up the rows that were due.
            if first
                .try_get::<_, Option<i64>>("id")
                .map_err(Failure::from)?
                .is_none()
            {
                self.give_back(audience, &holder).await?;
                continue;
            }
            let rows = rows.iter().map(outbox_row).collect::<Result<_>>()?;
            return Ok(Some(OutboxTaken { audience, rows }));
        }
        Ok(None)
    }

    async fn give_back_outbox(&self, audience: OutboxAudience, holder: u128) -> Answer<()> {
        Ok(self.give_back(audience, &name(holder)).await?)
    }

    async fn open_outbox(
        &self,
        audience: OutboxAudience,
        before: OutboxId,
        limit: u32,
    ) -> Answer<Vec<OpenOutbox>> {
        let of = [audience.tenant, audience.owner].map(Uuid::from_u128);
        let params: [Param<'_>; 4] = [&of[0], &of[1], &before.0, &i64::from(limit)];
        let rows = self.db().query(OPEN, &params).await?;
        Ok(rows.iter().map(open_row).collect::<Result<_>>()?)
    }

    async fn outbox_arrived(&self) {
        self.node().ear().outbox().await;
    }

    fn outbox_written(&self) {
        self.notifier().outbox();
    }

    async fn put_back(&self, id: OutboxId, turn: u32, how: PutBack) -> Answer<()> {
        let (due, reason) = match how {
            PutBack::Until(due) => (Some(due), None),
            PutBack::Aside(reason) => (None, Some(without_nul(&reason).into_owned())),
        };
        let params: [Param<'_>; 4] = [&id.0, &i64::from(turn), &due, &reason];
        self.db().execute(sql!("outbox/put_back"), &params).await?;
        Ok(())
    }
}

impl PostgresStore {
    /// Gives an audience back, in two statements: the second has a snapshot with all rows that were
    /// listed earlier.
    async fn give_back(&self, audience: OutboxAudience, holder: &str) -> Result<()> {
        let of = [audience.tenant, audience.owner].map(Uuid::from_u128);
        let params: [Param<'_>; 3] = [&of[0], &of[1], &holder];
        let statements = [(HOLD, &params[..]), (GIVE_BACK, &params[..])];
        self.db().pipeline(BEGIN, &statements).await?;
        Ok(())
    }
}

/// Returns the name under which a holder has its leases.
fn name(holder: u128) -> String {
    format!("{holder:032x}")
}

/// Returns whether there are rows that were not read.
fn more(answers: &[Vec<Row>]) -> Result<bool> {
    let looked = answers.first().and_then(|rows| rows.first());
    let more: Option<bool> = looked.map(|row| row.try_get("more")).transpose()?.flatten();
    Ok(more.unwrap_or(false))
}

fn audience(row: &Row) -> Result<OutboxAudience> {
    Ok(OutboxAudience {
        tenant: row.try_get::<_, Uuid>("of_tenant")?.as_u128(),
        owner: row.try_get::<_, Uuid>("of_owner")?.as_u128(),
    })
}

fn open_row(row: &Row) -> Result<OpenOutbox> {
    let left = RemainingTasks::from_columns(row.try_get("after_task")?, row.try_get("tasks")?);
    // The platform may have written an invalid time.
    let due = row.try_get("due").unwrap_or(DateTime::UNIX_EPOCH);
    Ok(OpenOutbox::of(OutboxId(row.try_get("id")?), left, due))
}

fn outbox_row(row: &Row) -> Result<OutboxRow> {
    let columns = OutboxColumns {
        event_type: row.try_get("event_type")?,
        event: row.try_get("event")?,
        object_id: row.try_get::<_, Option<&str>>("object_id")?.map(Into::into),
        object_name: row.try_get("object_name")?,
        tags: row.try_get::<_, &str>("tags")?.into(),
        variables: row.try_get::<_, &str>("variables")?.into(),
        data: row.try_get("data")?,
        webhooks: row.try_get::<_, Option<&str>>("webhooks")?.map(Into::into),
        channel: row.try_get("channel")?,
        occurrence_id: row.try_get("occurrence_id")?,
        tenant: row.try_get::<_, Option<&str>>("tenant")?.map(Into::into),
        owner: row.try_get::<_, Option<&str>>("owner")?.map(Into::into),
        operators: row.try_get("operators")?,
        trace: row.try_get::<_, Option<&str>>("trace")?.map(Into::into),
    };
    // A row whose list of tasks cannot be read is set aside as a whole.
    let (mut occurrence, left) =
        match RemainingTasks::from_columns(row.try_get("after_task")?, row.try_get("tasks")?) {
            Ok(left) => (columns.occurrence(), left),
            Err(unreadable) => (Err(unreadable), RemainingTasks::After(TaskId(0))),
        };
    let mut unreadable = |reason| occurrence = Err(Unreadable(reason));
    let turn = count(row, "turn").unwrap_or_else(|_| {
        unreadable("turn is out of range".to_owned());
        0
    });
    let created = row.try_get("created").unwrap_or_else(|_| {
        unreadable("created is out of range".to_owned());
        DateTime::UNIX_EPOCH
    });
    let by = row.try_get::<_, Option<&str>>("run_by")?.map(str::parse);
    let by = by.transpose().unwrap_or_else(|e: InvalidId| {
        unreadable(format!("run_by {e}"));
        None
    });
    Ok(OutboxRow {
        id: OutboxId(row.try_get("id")?),
        occurrence,
        left,
        by,
        turn,
        created,
    })
}
