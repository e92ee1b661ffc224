//! Migration of the tables: forward only, each step in an exclusive transaction.

use gatepost_storage::ErrorKind;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Failure, Result};
use crate::version::{self, KNOWN, newer};

/// `GtPt`: marks files that this backend created.
pub(crate) const APPLICATION_ID: i32 = 0x4774_5074;

const STEPS: [&str; KNOWN as usize] = [include_str!("../migrations/0001_gatepost.sql")];

pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    migrate_with(connection, &STEPS)
}

/// Runs the missing steps. The version is in a separate table, because `user_version` belongs to
/// the platform if the file does.
fn migrate_with(connection: &mut Connection, steps: &[&str]) -> Result<()> {
    // An up-to-date file can be opened while another process writes, however long that takes.
    let current = version::of(connection)? as usize == steps.len();
    if current && [0, APPLICATION_ID].contains(&owner(connection)?) {
        return Ok(());
    }
    loop {
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

/// Refuses a file that another application marked as its own. A file without a mark is new and is
/// marked, or is a platform's database and is not.
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

    const SECOND: &str = "CREATE TABLE whole (x)";
    const BROKEN: &str = "CREATE TABLE half (x); CREATE TABLE half (x)";

    fn tables(connection: &Connection, name: &str) -> i64 {
        let count = "SELECT count(*) FROM sqlite_schema WHERE name = ?1";
        connection
            .query_row(count, [name], |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn failed_step_leaves_the_version_before_it() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate_with(&mut connection, &[STEPS[0], BROKEN]).unwrap_err();
        assert_eq!(tables(&connection, "half"), 0);
        assert_eq!(version::of(&connection).unwrap(), 1);
        migrate_with(&mut connection, &[STEPS[0], SECOND]).unwrap();
        assert_eq!(tables(&connection, "whole"), 1);
        assert_eq!(version::of(&connection).unwrap(), 2);
    }

    #[test]
    fn failed_first_step_leaves_an_empty_file() {
        let mut connection = Connection::open_in_memory().unwrap();
        let half = format!("{}; {BROKEN}", STEPS[0]);
        migrate_with(&mut connection, &[&half]).unwrap_err();
        let all = "SELECT count(*) FROM sqlite_schema";
        let left: i64 = connection.query_row(all, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0);
        migrate(&mut connection).unwrap();
        assert_eq!(version::of(&connection).unwrap(), KNOWN);
    }
}
