//! Commands that share a commit.

use std::error::Error as _;
use std::sync::Arc;

use gatepost_storage::{ErrorKind, StoreError};
use rusqlite::{Connection, ErrorCode};

use super::command::{Command, Lost, Ran};
use crate::batch::Batch;
use crate::config::SqliteConfig;
use crate::error::{Failure, Result, unavailable};
use crate::sql::Sql as _;
use crate::watch::{Own, Said, said};
use crate::{connection, version};

/// The connection that writes, and the state that it keeps from one commit to the next.
pub(super) struct Group {
    config: SqliteConfig,
    connection: Option<Connection>,
    batch: Batch,
    own: Arc<Own>,
    /// Whether the last commit found tables of a newer version.
    is_outdated: bool,
}

impl Group {
    pub(super) fn new(config: SqliteConfig, connection: Connection, own: Arc<Own>) -> Self {
        Self {
            config,
            connection: Some(connection),
            batch: Batch::default(),
            own,
            is_outdated: false,
        }
    }

    /// Runs these commands in one transaction, and answers after the commit.
    pub(super) fn run(&mut self, mut commands: Vec<Box<dyn Command>>) {
        let connection = self.connection.take();
        let connection = connection.map_or_else(|| connection::writer(&self.config), Ok);
        let connection = match connection {
            Ok(connection) => connection,
            Err(failure) => {
                let cause = StoreError::from(failure).to_string();
                return answer_all(commands, Some(Lost::failed(&cause)));
            }
        };
        match self.commit(&connection, &mut commands) {
            Ok(()) => {
                self.connection = Some(connection);
                answer_all(commands, None);
            }
            // Another process had the lock for too long: the connection can be used again.
            Err(Failure::Sql(e))
                if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && connection.is_autocommit() =>
            {
                self.connection = Some(connection);
                self.batch.lost();
                answer_all(
                    commands,
                    Some(Lost::failed("another process holds the database")),
                );
            }
            // A newer process has migrated the tables.
            Err(Failure::Store(error)) if error.kind() == ErrorKind::Unsupported => {
                self.connection = connection.is_autocommit().then_some(connection);
                self.batch.lost();
                self.outdated(&error);
                let cause = error.source().map(ToString::to_string).unwrap_or_default();
                let lost = Lost {
                    kind: error.kind(),
                    context: error.context(),
                    cause: &cause,
                };
                answer_all(commands, Some(lost));
            }
            // After a failed write or sync the content of the cache is unknown: the connection is
            // dropped and never used again.
            Err(failure) => {
                drop(connection);
                self.batch.lost();
                let cause = match &failure {
                    Failure::Sql(error) => error.to_string(),
                    Failure::Store(error) => error.to_string(),
                };
                tracing::error!(cause, "a commit failed");
                answer_all(commands, Some(Lost::failed(&cause)));
            }
        }
    }

    /// Reports once that this process can no longer use the file.
    fn outdated(&mut self, error: &StoreError) {
        if !std::mem::replace(&mut self.is_outdated, true) {
            let versions = error.source().map(ToString::to_string);
            let versions = versions.unwrap_or_default();
            tracing::error!(
                versions,
                "a newer version of Gatepost has migrated the database: this process no longer uses it"
            );
        }
    }

    /// Discards the state after a commit with an unknown result; its connection is dropped.
    pub(super) fn lost(&mut self) {
        self.batch.lost();
    }

    pub(super) fn close(&mut self) {
        if let Some(connection) = self.connection.take() {
            let _ = connection.execute_batch("PRAGMA optimize");
            if let Err((_, error)) = connection.close() {
                tracing::warn!(%error, "the database could not be closed orderly");
            }
        }
    }

    fn commit(&mut self, c: &Connection, commands: &mut [Box<dyn Command>]) -> Result<()> {
        run(c, "BEGIN IMMEDIATE")?;
        if let Err(failure) = version::check(c) {
            run(c, "ROLLBACK")?;
            return Err(failure);
        }
        self.is_outdated = false;
        self.batch.begin();
        let before = match commands.iter().any(|command| command.alone()) {
            true => Some(said(c)?),
            false => None,
        };
        if let [only] = commands
            && only.alone()
        {
            let ran = only.run(c, &mut self.batch);
            if ran != Ran::Done {
                if !c.is_autocommit() {
                    run(c, "ROLLBACK")?;
                }
                self.batch.forget();
                return Ok(());
            }
        } else {
            for command in commands {
                self.one(c, command.as_mut())?;
            }
        }
        self.batch.flush(c)?;
        let said = match before {
            Some(before) => said(c)? - before,
            None => Said {
                arrived: self.batch.said(),
                stirred: 0,
            },
        };
        self.own.says(said);
        run(c, "COMMIT").inspect_err(|_| self.own.takes_back(said))
    }

    fn one(&mut self, c: &Connection, command: &mut dyn Command) -> Result<()> {
        let alone = command.alone();
        if alone {
            self.batch.flush(c)?;
            run(c, "SAVEPOINT command")?;
        }
        let ran = command.run(c, &mut self.batch);
        if c.is_autocommit() {
            // SQLite rolled back the whole transaction (disk full, I/O error).
            return Err(unavailable("the transaction was rolled back").into());
        }
        if alone {
            if ran != Ran::Done {
                run(c, "ROLLBACK TO command")?;
            }
            run(c, "RELEASE command")?;
            self.batch.forget();
        } else if ran == Ran::Broken {
            return Err(unavailable("a statement failed half-way").into());
        }
        Ok(())
    }
}

fn run(connection: &Connection, sql: &str) -> Result<()> {
    connection.run(sql, [])
}

fn answer_all(commands: Vec<Box<dyn Command>>, lost: Option<Lost<'_>>) {
    for command in commands {
        command.answer(lost);
    }
}
