//! The realms and status of owners, stored as the platform says.

mod held;
mod placing;
mod rounds;
mod standings;
#[cfg(test)]
mod tests;

pub(super) use standings::Owners;
