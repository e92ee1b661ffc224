//! Connections and transactions.

mod dropped_tx;
mod hidden;
mod lock_wait;
mod opening;
mod pool;
mod pooler;
mod schema_check;
mod statement;
mod text;
mod tx;
mod writers;

pub(crate) use self::lock_wait::{BEGIN_WAITING, LOCKED, Tried, Turn, missing};
pub(crate) use self::pool::Db;
pub(crate) use self::schema_check::Fence;
pub(crate) use self::statement::{Param, together};
pub(crate) use self::text::Texts;
pub(crate) use self::tx::Tx;
pub(crate) use self::writers::BEGIN_WRITING;
