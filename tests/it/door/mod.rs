//! The door that both roofs share, from the outside.

mod console;
mod in_doubt;
mod rest;
