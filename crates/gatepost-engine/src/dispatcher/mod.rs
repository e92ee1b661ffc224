//! Finds due deliveries, and claims them as far as there are permits.

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
