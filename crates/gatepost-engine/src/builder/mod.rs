//! How an engine is set up.

mod options;
#[cfg(test)]
mod tests;
mod wiring;

pub use options::EngineBuilder;
