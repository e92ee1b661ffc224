//! What one user does, holds or breaks is not seen, waited for or paid for by another.

mod edits;
mod hearing;
mod leaving;
mod names;
mod platform;
mod targets;
mod unreadable;
mod volume;
