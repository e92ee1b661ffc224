//! Sets up an engine.

mod options;
#[cfg(test)]
mod tests;
mod wiring;

pub use options::EngineBuilder;
