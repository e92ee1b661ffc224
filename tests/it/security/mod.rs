//! Attacks, and the contents of a stolen disk.

mod entry_points;
mod guessing;
mod hostile_values;
mod injection;
mod isolation;
mod other_sites;
mod realms;
mod secret_carry_over;
mod secrets_at_rest;
