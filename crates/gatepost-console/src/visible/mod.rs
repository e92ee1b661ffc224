//! What of the stored rows the caller may see, by the same authority as the API.

mod choices;
pub(crate) mod deliveries;
pub(crate) mod events;
mod rows;
