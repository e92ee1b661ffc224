//! The one connection that writes, on a separate thread. Commands that wait at the same time share
//! a commit and its lookups.

mod command;
mod group;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use self::command::{Command, Once};
use self::group::Group;
use crate::batch::Batch;
use crate::config::SqliteConfig;
use crate::error::{Answer, Result, unavailable};
use crate::watch::Own;

/// The maximum number of commands in one commit.
const GROUP: usize = 512;
/// If more than these commands have arrived, but fewer than the last time, a commit waits for the
/// others: each costs the disk a sync. A single command, or one of a few, never waits.
const FEW: usize = 4;
const LINGER: Duration = Duration::from_micros(500);
/// The maximum number of waiting commands; beyond it, callers wait to add one.
const WAITING: usize = 4096;

#[derive(Clone)]
pub(crate) struct Writer {
    commands: mpsc::Sender<Message>,
    pub(crate) counts: Arc<Counts>,
}

/// The number of writes so far.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) commits: AtomicU64,
    pub(crate) commands: AtomicU64,
}

impl Counts {
    fn add(&self, commands: usize) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.commands.fetch_add(commands as u64, Ordering::Relaxed);
    }
}

enum Message {
    Run(Box<dyn Command>),
    Close(oneshot::Sender<()>),
}

impl Writer {
    /// Starts the writer. `own` receives the notifications that this writer sends to other
    /// processes.
    pub(crate) fn start(
        config: SqliteConfig,
        connection: Connection,
        own: Arc<Own>,
    ) -> Answer<Self> {
        let (commands, waiting) = mpsc::channel(WAITING);
        let counts = Arc::new(Counts::default());
        let counted = Arc::clone(&counts);
        std::thread::Builder::new()
            .name("gatepost-sqlite".to_owned())
            .spawn(move || work(&mut Group::new(config, connection, own), waiting, &counted))
            .map_err(|e| unavailable("the writer's thread could not be started").with_source(e))?;
        Ok(Self { commands, counts })
    }

    /// Runs `work` in a transaction that it may share with others, and returns after the commit. An
    /// error of `work` reverts its changes, and only those. After it was sent, it runs even if its
    /// caller no longer waits for it.
    pub(crate) async fn run<T, F>(&self, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.send(true, move |c: &Connection, _: &mut Batch| work(c))
            .await
    }

    /// Does the same as [`run`](Self::run), for work that runs for every delivery: it shares the
    /// batch of its commit, and has no savepoint. It reads and checks everything before it writes
    /// anything, so an error in `work` leaves no changes; an error of SQLite fails the whole
    /// commit.
    pub(crate) async fn run_in_batch<T, F>(&self, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection, &mut Batch) -> Result<T> + Send + 'static,
    {
        self.send(false, work).await
    }

    async fn send<T, F>(&self, alone: bool, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection, &mut Batch) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let command = Box::new(Once::new(alone, work, reply));
        self.commands
            .send(Message::Run(command))
            .await
            .map_err(|_| unavailable("the store is closed"))?;
        answer
            .await
            .map_err(|_| unavailable("the store was closed during the call, or panicked"))?
    }

    /// Returns when all earlier commands are complete and the connection is closed.
    pub(crate) async fn close(&self) {
        let (reply, closed) = oneshot::channel();
        if self.commands.send(Message::Close(reply)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

fn work(group: &mut Group, mut waiting: mpsc::Receiver<Message>, counts: &Counts) {
    let (mut closing, mut last) = (None, 0);
    while closing.is_none() {
        let Some(message) = waiting.blocking_recv() else {
            break;
        };
        let mut commands = Vec::new();
        closing = gather(&mut commands, Some(message), &mut waiting);
        if (FEW + 1..last).contains(&commands.len()) && closing.is_none() {
            std::thread::sleep(LINGER);
            closing = gather(&mut commands, None, &mut waiting);
        }
        last = commands.len();
        if commands.is_empty() {
            continue;
        }
        counts.add(commands.len());
        // A panic (of the platform's subscriber, say) fails this commit, but not all later ones:
        // callers that wait for an answer are notified that there is none.
        if catch_unwind(AssertUnwindSafe(|| group.run(commands))).is_err() {
            group.lost();
        }
    }
    group.close();
    drop(waiting);
    if let Some(reply) = closing {
        let _ = reply.send(());
    }
}

/// Takes this message and all that wait, up to a full commit; returns the sender of a request to
/// close the store.
fn gather(
    commands: &mut Vec<Box<dyn Command>>,
    first: Option<Message>,
    waiting: &mut mpsc::Receiver<Message>,
) -> Option<oneshot::Sender<()>> {
    let mut next = first;
    while commands.len() < GROUP {
        match next.take().or_else(|| waiting.try_recv().ok())? {
            Message::Run(command) => commands.push(command),
            Message::Close(reply) => return Some(reply),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics outside of the code that a command guards itself.
    struct Bomb;

    impl Command for Bomb {
        fn alone(&self) -> bool {
            panic!("on purpose")
        }

        fn run(&mut self, _: &Connection, _: &mut Batch) -> command::Ran {
            command::Ran::Refused
        }

        fn answer(self: Box<Self>, _: Option<command::Lost<'_>>) {}
    }

    #[tokio::test]
    async fn writer_panic_costs_the_commit_not_the_store() {
        let folder = tempfile::tempdir().unwrap();
        let config = SqliteConfig::file(folder.path().join("gatepost.db"));
        let mut connection = crate::connection::writer(&config).unwrap();
        crate::migrate::migrate(&mut connection).unwrap();
        let writer = Writer::start(config, connection, Arc::default()).unwrap();
        for _ in 0..2 {
            let sent = writer.commands.send(Message::Run(Box::new(Bomb))).await;
            assert!(sent.is_ok());
            // This one may share the commit; the next does not.
            drop(writer.run(|_| Ok(())).await);
            let one = writer.run(|c| Ok(c.query_row("SELECT 1", [], |row| row.get::<_, u8>(0))?));
            assert_eq!(one.await.unwrap(), 1);
        }
    }
}
