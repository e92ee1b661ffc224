//! Finds what waits, and claims it, lane by lane in turn, as far as there is room.

mod claims;
mod lookout;
mod lots;
mod part;
mod pass;
mod reading;
mod run;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use part::Dispatcher;
