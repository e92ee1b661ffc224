//! The store over any ordered store.

mod error;
mod key;
mod tx;
mod writer;
