//! How an engine is set up.

mod options;
mod wiring;

pub use options::EngineBuilder;
