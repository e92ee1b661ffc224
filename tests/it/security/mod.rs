//! Attacks, and the contents of a stolen disk.

mod doors;
mod guessing;
mod hostile_values;
mod injection;
mod isolation;
mod kept_back;
mod other_sites;
mod secrets_at_rest;
mod walls;
