//! Finds what waits, and claims it, as far as there is room.

mod claims;
mod lookout;
mod part;
mod pass;
mod processes;
mod run;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use part::Dispatcher;
