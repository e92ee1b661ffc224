//! The trace that something belongs to, as W3C Trace Context passes it on.

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
