//! The records from outside: what users get wrong, public vectors, what goes out.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod absences;
mod filter_memory;
mod hidden;
mod pasted;
mod records;
mod request_headers;
mod secret_carry_over;
mod single_headers;
mod vectors;
