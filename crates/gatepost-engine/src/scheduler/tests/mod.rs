//! See the cases.
