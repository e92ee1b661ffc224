//! Trace contexts, as W3C Trace Context defines them.

mod context;
mod error;
mod parent;
mod state;
#[cfg(test)]
mod tests;

pub use context::TraceContext;
pub use error::InvalidTrace;
pub use parent::TraceParent;
pub use state::{MAX_TRACE_STATE, TraceState};
