//! `Management`, which REST API and console share, from the outside.

mod console;
mod in_doubt;
mod rest;
