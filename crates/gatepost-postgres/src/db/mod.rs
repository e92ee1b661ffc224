//! Connections and transactions.

mod ended;
mod fence;
mod hidden;
mod opening;
mod pool;
mod pooler;
mod statement;
mod text;
mod turn;
mod tx;
mod writing;

pub(crate) use self::fence::Fence;
pub(crate) use self::pool::Db;
pub(crate) use self::statement::{Param, together};
pub(crate) use self::text::Texts;
pub(crate) use self::turn::{BEGIN_WAITING, LOCKED, Tried, Turn, missing};
pub(crate) use self::tx::Tx;
pub(crate) use self::writing::BEGIN_WRITING;
