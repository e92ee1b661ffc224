//! A database that an earlier version wrote, opened by this one.

mod first;
mod later;
mod versions;

pub(crate) use versions::{FIRST, ROWS_SECOND, SECOND, THIRD, config_of, written_at};
