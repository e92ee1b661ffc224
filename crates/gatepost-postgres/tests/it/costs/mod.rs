//! What a list or a turn of the outbox reads does not grow with what others have: counted
//! in pages of the database, among 120,000 deliveries in three partitions.

mod claims;
mod filled;
mod hidden;
mod lists;
mod others;
