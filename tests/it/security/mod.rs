//! What attackers try, and what a stolen disk shows.

mod doors;
mod guessing;
mod hostile_values;
mod injection;
mod isolation;
mod kept_back;
mod other_sites;
mod secrets_at_rest;
mod walls;
