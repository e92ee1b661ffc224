//! The cost of a list or of a turn of the outbox does not grow with the rows of others: counted in
//! pages of the database, with 120,000 deliveries in three partitions.

mod claims;
mod filled;
mod hidden;
mod lists;
mod others;
