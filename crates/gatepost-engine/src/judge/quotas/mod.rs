//! How much each owner may have and do, and how much of it is used.

mod drops;
mod over;
mod rates;
mod recount;
mod spans;
#[cfg(test)]
mod tests;
mod usage;

pub(super) use drops::Drops;
pub(super) use rates::Rates;
pub(crate) use usage::Room;
pub(super) use usage::Usage;
