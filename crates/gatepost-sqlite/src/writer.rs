//! The one connection that writes, on a thread of its own. Commands that wait at the same time
//! share a commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gatepost_storage::StoreError;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::config::SqliteConfig;
use crate::connection;
use crate::error::{Answer, Failure, Result, unavailable};

/// The maximum number of commands in one commit.
const GROUP: usize = 512;
/// How many commands may wait; beyond that callers wait for a place.
const WAITING: usize = 4096;

#[derive(Clone)]
pub(crate) struct Writer {
    commands: mpsc::Sender<Message>,
}

enum Message {
    Run(Box<dyn Command>),
    Close(oneshot::Sender<()>),
}

impl Writer {
    pub(crate) fn start(config: SqliteConfig, connection: Connection) -> Answer<Self> {
        let (commands, waiting) = mpsc::channel(WAITING);
        std::thread::Builder::new()
            .name("gatepost-sqlite".to_owned())
            .spawn(move || work(&config, connection, waiting))
            .map_err(|e| unavailable("the writer's thread could not be started").with_source(e))?;
        Ok(Self { commands })
    }

    /// Runs `work` in a transaction that it may share with others, and returns after the commit. An
    /// error of `work` undoes what it did, and only that. Once handed over, it runs even if its
    /// caller no longer waits for it.
    pub(crate) async fn run<T, F>(&self, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let command = Once {
            work: Some(work),
            outcome: None,
            reply,
        };
        self.commands
            .send(Message::Run(Box::new(command)))
            .await
            .map_err(|_| unavailable("the store is closed"))?;
        answer
            .await
            .map_err(|_| unavailable("the store was closed during the call"))?
    }

    /// Returns when everything that was handed over before is done and the connection is closed.
    pub(crate) async fn close(&self) {
        let (reply, closed) = oneshot::channel();
        if self.commands.send(Message::Close(reply)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

trait Command: Send {
    /// Whether what it did is to be kept.
    fn run(&mut self, connection: &Connection) -> bool;
    /// `lost` says why the commit did not happen.
    fn answer(self: Box<Self>, lost: Option<&str>);
}

struct Once<T, F> {
    work: Option<F>,
    outcome: Option<Answer<T>>,
    reply: oneshot::Sender<Answer<T>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T> + Send> Command for Once<T, F> {
    fn run(&mut self, connection: &Connection) -> bool {
        let Some(work) = self.work.take() else {
            return false;
        };
        // Whatever a panic leaves half done is undone with the savepoint.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(connection)))
            .unwrap_or_else(|_| Err(unavailable("the command panicked; see the log").into()));
        self.outcome = Some(outcome.map_err(StoreError::from));
        matches!(self.outcome, Some(Ok(_)))
    }

    fn answer(self: Box<Self>, lost: Option<&str>) {
        let answer = match (self.outcome, lost) {
            // Its own error tells more than that of the group.
            (Some(Err(error)), _) => Err(error),
            (Some(outcome), None) => outcome,
            (None, None) => Err(unavailable("the command was not run")),
            (_, Some(cause)) => Err(unavailable("the commit failed").with_source(cause)),
        };
        // The caller may no longer wait.
        let _ = self.reply.send(answer);
    }
}

fn work(config: &SqliteConfig, first: Connection, mut waiting: mpsc::Receiver<Message>) {
    let mut connection = Some(first);
    let mut closing = None;
    while closing.is_none() {
        let Some(message) = waiting.blocking_recv() else {
            break;
        };
        let mut group = Vec::new();
        let mut next = Some(message);
        while let Some(message) = next {
            match message {
                Message::Run(command) => group.push(command),
                Message::Close(reply) => {
                    closing = Some(reply);
                    break;
                }
            }
            next = if group.len() < GROUP {
                waiting.try_recv().ok()
            } else {
                None
            };
        }
        if !group.is_empty() {
            run_group(config, &mut connection, group);
        }
    }
    if let Some(connection) = connection.take() {
        let _ = connection.execute_batch("PRAGMA optimize");
        if let Err((_, error)) = connection.close() {
            tracing::warn!(%error, "the database could not be closed orderly");
        }
    }
    drop(waiting);
    if let Some(reply) = closing {
        let _ = reply.send(());
    }
}

fn run_group(
    config: &SqliteConfig,
    place: &mut Option<Connection>,
    mut group: Vec<Box<dyn Command>>,
) {
    let connection = match place.take().map_or_else(|| connection::writer(config), Ok) {
        Ok(connection) => connection,
        Err(failure) => return answer_all(group, Some(&StoreError::from(failure).to_string())),
    };
    match commit_group(&connection, &mut group) {
        Ok(()) => {
            *place = Some(connection);
            answer_all(group, None);
        }
        // Another process had the lock for too long: nothing is wrong with the connection.
        Err(Failure::Sql(e))
            if e.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
                && connection.is_autocommit() =>
        {
            *place = Some(connection);
            answer_all(group, Some("another process holds the database"));
        }
        // After a failed write or sync the content of the cache is unknown: the connection is
        // dropped and never used again.
        Err(failure) => {
            drop(connection);
            let cause = match &failure {
                Failure::Sql(error) => error.to_string(),
                Failure::Store(error) => error.to_string(),
            };
            tracing::error!(cause, "a commit failed");
            answer_all(group, Some(&cause));
        }
    }
}

fn commit_group(connection: &Connection, group: &mut [Box<dyn Command>]) -> Result<()> {
    run(connection, "BEGIN IMMEDIATE")?;
    if let [only] = group {
        let keep = only.run(connection);
        if keep {
            return run(connection, "COMMIT");
        }
        if !connection.is_autocommit() {
            run(connection, "ROLLBACK")?;
        }
        return Ok(());
    }
    for command in group {
        run(connection, "SAVEPOINT command")?;
        let keep = command.run(connection);
        if connection.is_autocommit() {
            // SQLite gave up the whole transaction (disk full, I/O error).
            return Err(unavailable("the transaction was rolled back").into());
        }
        if !keep {
            run(connection, "ROLLBACK TO command")?;
        }
        run(connection, "RELEASE command")?;
    }
    run(connection, "COMMIT")
}

fn run(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn answer_all(group: Vec<Box<dyn Command>>, lost: Option<&str>) {
    for command in group {
        command.answer(lost);
    }
}
