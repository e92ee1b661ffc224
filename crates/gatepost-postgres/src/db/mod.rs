//! Connections, and the shapes of a transaction.

mod ended;
mod fence;
mod haste;
mod hidden;
mod learn;
mod opening;
mod pool;
mod slot;
mod statement;
mod text;
mod turn;
mod tx;

pub(crate) use self::fence::Fence;
pub(crate) use self::haste::Haste;
pub(crate) use self::pool::Db;
pub(crate) use self::statement::{Param, Ready, prepared, together, within};
pub(crate) use self::text::Texts;
pub(crate) use self::turn::{BEGIN_WAITING, Turn, missing};
pub(crate) use self::tx::Tx;
