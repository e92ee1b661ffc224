//! Commands that write, several in one commit.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::{process, thread};

use gatepost_storage::{ErrorKind, StoreError};
use tokio::sync::oneshot;

use super::blocks::Blocks;
use super::error::{Outcome, answered, store_error};
use super::generations::Generations;
use super::tables::LOG_BYTES;
use super::tx::{Common, Tx};
use super::{numbers, version};
use crate::contract::{Kv, Shared};
use crate::error::KvError;

/// The maximum number of commands that share a commit.
const TOGETHER: usize = 64;
/// The maximum number of waiting commands; beyond it, callers wait to add one.
const WAITING: usize = 1024;
/// The maximum number of attempts of a commit that conflicts with others. From the third on, each
/// command has its own commit.
const TRIES: u32 = 16;

/// The number of counters for the bytes of the log; with several, processes seldom conflict.
const PARTS: u32 = 16;

/// Runs commands: on a separate thread or, if the store never waits, immediately.
pub(super) struct Writer {
    commits: Arc<Commits>,
    thread: Option<SyncSender<Box<dyn Command>>>,
}

/// Runs commits one after the other.
struct Commits {
    kv: Arc<dyn Kv>,
    heard: Arc<Generations>,
    /// Locked for as long as a commit runs.
    blocks: Mutex<Blocks>,
}

/// The answer of a command, sent after its commit.
pub(super) struct Answer<T>(oneshot::Receiver<Result<T, StoreError>>);

/// A command, which may run again, and its answer.
trait Command: Send {
    /// Runs the command, perhaps again; earlier runs do not count.
    fn run(&mut self, tx: &mut Tx<'_>) -> Ran;
    /// Answers with the result of the last run, or with the reason why nothing of it is stored.
    fn answer(self: Box<Self>, lost: Option<StoreError>);
}

/// The result of a run.
enum Ran {
    /// It must be kept; or it was refused and has written nothing.
    Kept,
    /// It was refused after it had written.
    Undone,
    /// The database failed.
    Failed(KvError),
}

struct Call<T, F> {
    work: F,
    done: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl Writer {
    pub(super) fn start(kv: Arc<dyn Kv>, heard: Arc<Generations>) -> std::io::Result<Self> {
        let mut writer = Self::at_once(kv, heard);
        if writer.commits.kv.waits() {
            let (sender, waiting) = sync_channel(WAITING);
            let commits = writer.commits.clone();
            let builder = thread::Builder::new().name("gatepost-kv".to_owned());
            builder.spawn(move || commits.work(&waiting))?;
            writer.thread = Some(sender);
        }
        Ok(writer)
    }

    /// Commits each command on the thread of its caller.
    pub(super) fn at_once(kv: Arc<dyn Kv>, heard: Arc<Generations>) -> Self {
        let blocks = Mutex::default();
        Self {
            commits: Arc::new(Commits { kv, heard, blocks }),
            thread: None,
        }
    }

    /// Queues a command. `work` may run again.
    pub(super) async fn submit<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx<'_>) -> Outcome<T> + Send + 'static,
    ) -> Answer<T> {
        let (reply, answer) = oneshot::channel();
        let call = Box::new(Call {
            work,
            done: None,
            reply,
        });
        match &self.thread {
            None => self.commits.commit(vec![call]),
            Some(thread) => {
                if let Err(TrySendError::Full(call)) = thread.try_send(call) {
                    let thread = thread.clone();
                    let sent = tokio::task::spawn_blocking(move || thread.send(call).is_ok());
                    let _ = sent.await;
                }
            }
        }
        Answer(answer)
    }
}

impl<T> Answer<T> {
    pub(super) async fn get(self) -> Result<T, StoreError> {
        self.0.await.unwrap_or_else(|_| Err(stopped()))
    }
}

impl<T: Send, F: FnMut(&mut Tx<'_>) -> Outcome<T> + Send> Command for Call<T, F> {
    fn run(&mut self, tx: &mut Tx<'_>) -> Ran {
        self.done = None;
        match answered((self.work)(tx)) {
            Ok(done) => {
                let undone = done.is_err() && tx.has_written();
                self.done = Some(done);
                if undone { Ran::Undone } else { Ran::Kept }
            }
            Err(error) => Ran::Failed(error),
        }
    }

    fn answer(self: Box<Self>, lost: Option<StoreError>) {
        let done = self.done.unwrap_or_else(|| Err(stopped()));
        // A caller that no longer waits still has its command run.
        let _ = self.reply.send(lost.map_or(done, Err));
    }
}

impl Commits {
    fn work(&self, waiting: &Receiver<Box<dyn Command>>) {
        while let Ok(first) = waiting.recv() {
            let mut commands = vec![first];
            commands.extend(waiting.try_iter().take(TOGETHER - 1));
            // The database is the platform's code. A caller whose command is lost is answered.
            let commit = panic::catch_unwind(AssertUnwindSafe(|| self.commit(commands)));
            if commit.is_err() {
                // It may have been stored.
                *self.blocks.lock().unwrap_or_else(PoisonError::into_inner) = Blocks::default();
            }
        }
    }

    /// Commits these commands together; one by one if others change the same rows, or if they are
    /// too large for one change.
    fn commit(&self, mut commands: Vec<Box<dyn Command>>) {
        for tried in 0..TRIES {
            let ended = self.together(&mut commands);
            let apart = match &ended {
                Err(KvError::Conflict) => tried > 0,
                Err(KvError::Invalid { .. }) => true,
                _ => false,
            };
            if apart && commands.len() > 1 {
                return commands
                    .into_iter()
                    .for_each(|command| self.commit(vec![command]));
            }
            if !matches!(ended, Err(KvError::Conflict)) {
                return answer(commands, ended.err().as_ref());
            }
        }
        answer(commands, Some(&KvError::Conflict));
    }

    /// Makes one commit. A command that is refused after it has written is answered, and the others
    /// run again without it.
    fn together(&self, commands: &mut Vec<Box<dyn Command>>) -> Result<(), KvError> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (mut undone, mut is_later, mut common) = (None, false, Common::default());
            let ended = self.kv.change(&mut |change| {
                undone = None;
                is_later = version::is_later(change)?;
                if is_later {
                    return Err(KvError::Abandoned);
                }
                common = Common::of(&blocks, self.kv.shared() != Shared::OneProcess);
                for (at, command) in commands.iter_mut().enumerate() {
                    match command.run(&mut Tx::new(change, &mut common)) {
                        Ran::Kept => {}
                        Ran::Undone => {
                            undone = Some(at);
                            return Err(KvError::Abandoned);
                        }
                        Ran::Failed(error) => return Err(error),
                    }
                }
                count_bytes(&mut Tx::new(change, &mut common))
            });
            match (ended, undone) {
                (Err(KvError::Abandoned), _) if is_later => {
                    let all = commands.drain(..);
                    all.for_each(|command| command.answer(Some(version::unsupported())));
                    return Ok(());
                }
                (Err(KvError::Abandoned), Some(at)) => commands.remove(at).answer(None),
                (ended, _) => {
                    // Also if it is unknown whether it is stored.
                    for (slice, generation) in common.moved {
                        self.heard.set(slice, generation);
                    }
                    match &ended {
                        Ok(()) => *blocks = common.blocks,
                        Err(KvError::CommitUnknown(_)) => *blocks = Blocks::default(),
                        Err(_) => {}
                    }
                    return ended;
                }
            }
        }
    }
}

/// Adds the bytes of the log, after the last command.
fn count_bytes(tx: &mut Tx<'_>) -> Result<(), KvError> {
    let bytes = tx.common.log_bytes;
    if bytes == 0 {
        return Ok(());
    }
    let part = [u8::try_from(process::id() % PARTS).unwrap_or(0)];
    let added = answered(numbers::add(tx, LOG_BYTES, &part, bytes))?;
    added.map(drop).map_err(KvError::corrupt)
}

fn answer(commands: Vec<Box<dyn Command>>, lost: Option<&KvError>) {
    for command in commands {
        command.answer(lost.map(store_error));
    }
}

fn stopped() -> StoreError {
    StoreError::new(ErrorKind::Unavailable, "the store is stopped")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::contract::{Reading, Writing};
    use crate::memory::MemoryKv;
    use crate::run::KvExt as _;
    use crate::store::tables::META;
    use crate::table::Table;

    const ROWS: Table = Table::bytes("rows");

    /// A store whose first commits are refused.
    struct Busy {
        memory: MemoryKv,
        refused: AtomicU32,
    }

    impl Busy {
        fn new(refused: u32) -> Arc<Self> {
            let memory = MemoryKv::default();
            memory.prepare(&[ROWS, META]).unwrap();
            let refused = AtomicU32::new(refused);
            Arc::new(Self { memory, refused })
        }

        fn rows(&self) -> usize {
            let count = self.memory.read(|view| {
                let mut count = 0;
                view.scan(ROWS, &crate::KeyRange::all(), &mut |_, _| {
                    count += 1;
                    crate::Go::On
                })?;
                Ok(count)
            });
            count.unwrap()
        }
    }

    impl Kv for Busy {
        fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
            self.memory.view(f)
        }

        fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
            let left = self.refused.load(Ordering::Relaxed);
            self.memory.change(&mut |change| {
                f(change)?;
                match left {
                    0 => Ok(()),
                    _ => Err(KvError::Conflict),
                }
            })?;
            Ok(())
        }
    }

    async fn run(
        writer: &Writer,
        work: impl FnMut(&mut Tx<'_>) -> Outcome<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        writer.submit(work).await.get().await
    }

    fn put(key: &'static [u8]) -> impl FnMut(&mut Tx<'_>) -> Outcome<()> + Send + 'static {
        move |tx| tx.put(ROWS, key, b"")
    }

    #[tokio::test]
    async fn refused_command_leaves_nothing_and_others_are_kept() {
        let kv = Busy::new(0);
        let writer = Writer::start(kv.clone(), Arc::default()).unwrap();
        let refused = |tx: &mut Tx<'_>| -> Outcome<()> {
            tx.put(ROWS, b"b", b"")?;
            Err(StoreError::new(ErrorKind::Full, "rows").into())
        };
        let (a, b, c) = tokio::join!(
            run(&writer, put(b"a")),
            run(&writer, refused),
            run(&writer, put(b"c"))
        );
        assert!(a.is_ok() && c.is_ok());
        assert_eq!(b.unwrap_err().kind(), ErrorKind::Full);
        assert_eq!(kv.rows(), 2);
    }

    #[tokio::test]
    async fn command_always_conflicting_is_unavailable_and_not_stored() {
        let kv = Busy::new(1);
        let writer = Writer::start(kv.clone(), Arc::default()).unwrap();
        let ended = run(&writer, put(b"a")).await;
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Unavailable);
        assert_eq!(kv.rows(), 0);
    }
}
