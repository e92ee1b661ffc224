//! Finds what waits, and claims it, lane by lane in turn, as far as there is room.

mod claims;
mod lookout;
mod part;
mod pass;
mod reading;
mod run;
#[cfg(test)]
mod tests;

pub(crate) use part::Dispatcher;
