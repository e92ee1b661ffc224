//! The one connection that writes, on a thread of its own. Commands that wait at the same time
//! share a commit, and what they look up.

mod command;
mod group;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

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
    /// `own` learns what this writer tells other processes of.
    pub(crate) fn start(
        config: SqliteConfig,
        connection: Connection,
        own: Arc<Own>,
    ) -> Answer<Self> {
        let (commands, waiting) = mpsc::channel(WAITING);
        std::thread::Builder::new()
            .name("gatepost-sqlite".to_owned())
            .spawn(move || work(&mut Group::new(config, connection, own), waiting))
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
        self.send(true, move |c: &Connection, _: &mut Batch| work(c))
            .await
    }

    /// As [`run`](Self::run), for work that runs for every delivery: it shares the batch of its
    /// commit, and has no savepoint. It reads and judges everything before it writes anything, so
    /// that an error of its own leaves nothing behind; one of SQLite fails the whole commit.
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

    /// Returns when everything that was handed over before is done and the connection is closed.
    pub(crate) async fn close(&self) {
        let (reply, closed) = oneshot::channel();
        if self.commands.send(Message::Close(reply)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

fn work(group: &mut Group, mut waiting: mpsc::Receiver<Message>) {
    let mut closing = None;
    while closing.is_none() {
        let Some(message) = waiting.blocking_recv() else {
            break;
        };
        let mut commands = Vec::new();
        let mut next = Some(message);
        while let Some(message) = next {
            match message {
                Message::Run(command) => commands.push(command),
                Message::Close(reply) => {
                    closing = Some(reply);
                    break;
                }
            }
            next = if commands.len() < GROUP {
                waiting.try_recv().ok()
            } else {
                None
            };
        }
        if commands.is_empty() {
            continue;
        }
        // A panic (of the platform's subscriber, say) costs this commit, and not all later ones:
        // who waits for an answer learns that there is none.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics outside of what a command guards by itself.
    struct Bomb;

    impl Command for Bomb {
        fn alone(&self) -> bool {
            panic!("as told")
        }

        fn run(&mut self, _: &Connection, _: &mut Batch) -> command::Ran {
            command::Ran::Refused
        }

        fn answer(self: Box<Self>, _: Option<command::Lost<'_>>) {}
    }

    #[tokio::test]
    async fn a_panic_on_the_writers_thread_costs_the_commit_and_not_the_store() {
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
