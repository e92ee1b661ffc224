//! The contract that an adapter implements.

use std::time::Duration;

use bytes::Bytes;

use crate::error::KvError;
use crate::key_range::{Go, KeyRange};
use crate::table::Table;

/// The callback of a scan: takes a key and its value, and returns whether to continue.
pub type Step<'a> = dyn FnMut(&[u8], &[u8]) -> Go + 'a;
/// The callback of a view.
pub type Reading<'a> = dyn FnMut(&dyn View) -> Result<(), KvError> + 'a;
/// The callback of a change.
pub type Writing<'a> = dyn FnMut(&mut dyn Change) -> Result<(), KvError> + 'a;

/// Reads of one snapshot, or of one change.
///
/// # The adapter
/// - Keys must be ordered by their bytes, as unsigned numbers; a key is below each longer key that
///   begins with it. No collation, no case, no trailing spaces.
/// - A value of no bytes is a value, and must differ from none.
/// - Inside of a change all reads must show the change's own writes.
/// - Inside of a change a `get`, of a key that exists or of one that does not, must conflict with a
///   concurrent `put` or `delete` of that key, and a `scan` with each of them in the part that it
///   visited. Locks, a check at the commit, and changes that run one after the other all do this.
/// - If the database reports a conflict in the middle of a change, the adapter must return
///   [`KvError::Conflict`].
///
/// # The caller
/// - It must stay within [`MAX_KEY`](crate::MAX_KEY), [`MAX_VALUE`](crate::MAX_VALUE) and the form
///   of keys that [`Keys`](crate::Keys) says. Bounds of a range have that form too, or are open; a
///   bound may have one byte more.
/// - `step` must not use the view.
/// - After an error of a read or a write the caller must return it from its callback and do nothing
///   else: the database may have undone the change already.
pub trait View {
    /// Returns the value of a key; `None` if the key does not exist.
    ///
    /// # Errors
    /// The database's.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError>;

    /// Calls `step` with the rows of a range, in order of their keys, from the least, or from the
    /// greatest if the range goes [back](KeyRange::back), until the range ends or `step` returns
    /// [`Go::Stop`].
    ///
    /// The adapter must visit every row of the range, however many there are, and should not load
    /// many more rows than `step` takes.
    ///
    /// # Errors
    /// The database's.
    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError>;
}

/// Reads and writes of one change.
pub trait Change: View {
    /// Stores a value; replaces the value that the key had.
    ///
    /// # Errors
    /// The database's.
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), KvError>;

    /// Deletes a key. A key that does not exist is no error.
    ///
    /// # Errors
    /// The database's.
    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), KvError>;

    /// Scans without conflicts: the head of a queue that several changes, of one process or of
    /// several, take from.
    ///
    /// - The adapter must show the rows of one snapshot, the same in all calls of a change or one
    ///   for each call, which must hold each change that had returned before this change began.
    /// - It should neither lock these rows nor conflict with changes of them.
    /// - The caller must `get` each row that it acts on: that read conflicts.
    /// - The caller must not rely on whether the change's own writes are shown.
    ///
    /// The default is [`scan`](View::scan), which is right in every store. If several changes run
    /// at a time, consumers of one queue then wait for each other.
    ///
    /// # Errors
    /// The database's.
    fn peek(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        self.scan(table, range, step)
    }
}

/// An ordered, transactional key-value store.
///
/// Its methods block: call them on a thread that may, or by [`KvExt`](crate::KvExt), which runs
/// changes again. `gatepost_kv::kit!` tests an adapter, but cannot cut the power or break a commit.
///
/// # The adapter
/// - Views and changes together must be serializable: each result must be one that some order of
///   them one after another has, in which a call that returned before another began comes first.
/// - A change must be stored wholly or not at all, whatever happens to the process or the machine.
/// - A change that returned `Ok` must be durable, unless the store says that it keeps nothing.
/// - The callback must run on the calling thread.
/// - An error of the callback must be returned as it is, and nothing of that run may be kept. If it
///   is [`KvError::Conflict`], the adapter may run the callback again instead.
/// - Each run of a callback must begin with nothing of the run before.
/// - After an error of a callback the store must work as before.
///
/// # The caller
/// - It must call [`prepare`](Self::prepare) with a table before it uses the table.
/// - A callback must be ready to run again: it must keep no state of an earlier run, and send
///   nothing to anybody before the change has returned.
/// - A callback must not call the store again, must not panic (see [`KvExt`](crate::KvExt)), and
///   must be short: a view may block changes, and a change others. 256 rows or a millisecond are
///   short; a longer list is read in several views, each of which continues
///   [after](KeyRange::after) the last key.
/// - A caller that puts several commands into one change should run them one by one after two
///   conflicts, so that a busy row blocks only its own command. It then calls
///   [`change`](Self::change) itself.
/// - A change must write at most [`MAX_CHANGE`](crate::MAX_CHANGE) bytes.
/// - Each unique name and each limit must have a separate key that each change reads and writes.
pub trait Kv: Send + Sync + 'static {
    /// Creates the tables that do not exist yet. It may be called again, with the same tables or
    /// others, and by several processes at the same time.
    ///
    /// The default does nothing, for stores that need not know their tables.
    ///
    /// # Errors
    /// The database's.
    fn prepare(&self, tables: &[Table]) -> Result<(), KvError> {
        let _ = tables;
        Ok(())
    }

    /// Calls `f` with one snapshot, which must hold each change that returned before, and must not
    /// change while `f` reads it. `f` may run again.
    ///
    /// # Errors
    /// The callback's, as it is, and the database's.
    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError>;

    /// Calls `f` with a change, and stores what `f` wrote if it returns `Ok`. `f` may run again.
    ///
    /// # Errors
    /// The callback's, as it is, and the database's: [`KvError::Conflict`] if another change came
    /// in between, [`KvError::CommitUnknown`] if the change may or may not be stored.
    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError>;

    /// Returns whether calls may wait: for a disk, a server, or changes elsewhere. If none does,
    /// the store runs changes on the caller's thread, instead of batches on a separate thread.
    fn waits(&self) -> bool {
        true
    }

    /// Returns which other handles may change the store.
    fn shared(&self) -> Shared {
        Shared::OneProcess
    }
}

/// The handles that may change a store.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "the caller must obey each variant")]
pub enum Shared {
    /// Only this handle. A second one, in this process or another, must not open the same data: the
    /// adapter must refuse it if it can.
    OneProcess,
    /// Any number of handles in any number of processes. The caller checks in this interval whether
    /// others have changed something.
    Processes {
        /// The interval.
        poll: Duration,
    },
}
