//! `filter=`: `field op value`, joined by `and`/`or` strictly from left to right.

mod lex;
mod limits;
mod parse;
mod term;
#[cfg(test)]
mod tests;

pub(crate) use limits::FilterLimits;
pub(crate) use term::{Filter, Literal};
