//! Brings the tables up to date: forward only, each step in a transaction that no other process can
//! share.

mod ahead;

use gatepost_storage::ErrorKind;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Failure, Result};
use crate::version::{self, KNOWN, newer};

/// `GtPt`: marks files that this backend created.
pub(crate) const APPLICATION_ID: i32 = 0x4774_5074;

const STEPS: [&str; KNOWN as usize] = [
    include_str!("../../migrations/0001_gatepost.sql"),
    include_str!("../../migrations/0002_walls.sql"),
    concat!(
        include_str!("../../migrations/0003_queue/a_log.sql"),
        include_str!("../../migrations/0003_queue/b_rest.sql"),
        include_str!("../../migrations/0003_queue/c_copy.sql"),
        include_str!("../../migrations/0003_queue/d_queue.sql"),
    ),
    include_str!("../../migrations/0004_cause.sql"),
    include_str!("../../migrations/0005_key_use.sql"),
    include_str!("../../migrations/0006_data.sql"),
    include_str!("../../migrations/0007_key_grant.sql"),
    include_str!("../../migrations/0008_key_expires.sql"),
    include_str!("../../migrations/0009_key_limit.sql"),
    include_str!("../../migrations/0010_audit.sql"),
    include_str!("../../migrations/0011_channels.sql"),
    include_str!("../../migrations/0012_trace.sql"),
    include_str!("../../migrations/0013_client_identity.sql"),
    include_str!("../../migrations/0014_event_label.sql"),
    include_str!("../../migrations/0015_run_by.sql"),
    include_str!("../../migrations/0016_cause_data.sql"),
    include_str!("../../migrations/0017_key_locked.sql"),
];

pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    migrate_with(connection, &STEPS)
}

/// The version is in a table of its own, because `user_version` belongs to the platform if the file
/// does.
fn migrate_with(connection: &mut Connection, steps: &[&str]) -> Result<()> {
    // A file that is up to date opens beside a process that is writing, however long that takes.
    let current = version::of(connection)? as usize == steps.len();
    if current && [0, APPLICATION_ID].contains(&owner(connection)?) {
        return Ok(());
    }
    unbound(connection, true)?;
    let migrated = take_steps(connection, steps);
    unbound(connection, false)?;
    migrated
}

/// While a table is made again, nothing that refers to it is followed: dropping the old one would
/// take its deliveries along, and a view of the platform's would not let the new one have its name.
fn unbound(connection: &Connection, yes: bool) -> Result<()> {
    connection.pragma_update(None, "foreign_keys", !yes)?;
    connection.pragma_update(None, "legacy_alter_table", yes)?;
    Ok(())
}

fn take_steps(connection: &mut Connection, steps: &[&str]) -> Result<()> {
    loop {
        if ahead::concerns(version::of(connection)?) {
            check_owner(connection)?;
            ahead::copy(connection)?;
        }
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        check_owner(&tx)?;
        tx.execute_batch(
            "CREATE TABLE IF NOT EXISTS gatepost_schema (version INTEGER PRIMARY KEY) STRICT",
        )?;
        let present = version::of(&tx)?;
        let done = present as usize;
        if done > steps.len() {
            return Err(newer(present, KNOWN));
        }
        let Some(step) = steps.get(done) else {
            return Ok(tx.commit()?);
        };
        tx.execute_batch(step)?;
        tx.execute("INSERT INTO gatepost_schema VALUES (?1)", [present + 1])?;
        tx.commit()?;
    }
}

fn owner(connection: &Connection) -> Result<i32> {
    Ok(connection.pragma_query_value(None, "application_id", |row| row.get(0))?)
}

/// A file that another application marked as its own is left alone. One without a mark is a new
/// file, which gets ours, or a platform's database, which does not.
fn check_owner(connection: &Connection) -> Result<()> {
    let owner = owner(connection)?;
    if owner == APPLICATION_ID {
        return Ok(());
    }
    if owner != 0 {
        return Err(Failure::new(
            ErrorKind::Unsupported,
            "the file belongs to another application (its application_id is set)",
        ));
    }
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_leaves_the_version_before_it() {
        let mut connection = Connection::open_in_memory().unwrap();
        let broken = [
            STEPS[0],
            STEPS[1],
            STEPS[2],
            "CREATE TABLE half (x); CREATE TABLE half (x)",
        ];
        migrate_with(&mut connection, &broken).unwrap_err();
        let half: i64 = connection
            .query_row(
                "SELECT count(*) FROM sqlite_schema WHERE name = 'half'",
                [],
                |r| r.get(0),
            )
            .unwrap();
        assert_eq!(half, 0);
        migrate_with(
            &mut connection,
            &[STEPS[0], STEPS[1], STEPS[2], "CREATE TABLE half (x)"],
        )
        .unwrap();
        let version: i64 = connection
            .query_row("SELECT max(version) FROM gatepost_schema", [], |r| r.get(0))
            .unwrap();
        assert_eq!(version, 4);
    }
}
