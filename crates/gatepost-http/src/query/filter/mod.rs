//! `filter=`: `field op value`, joined by `and`/`or` strictly from left to right.

mod lex;
mod pace;
mod parse;
mod pattern;
mod references;
mod term;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use pace::Pace;
pub(crate) use term::{Filter, Literal};
