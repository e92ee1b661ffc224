//! One HTTP delivery attempt done right, and retries around it.
