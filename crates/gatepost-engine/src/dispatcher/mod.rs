//! Finds due deliveries, and claims them as far as there are permits.

mod claims;
mod dependencies;
mod due_search;
mod loops;
mod pass;
mod processes;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use dependencies::Dispatcher;
