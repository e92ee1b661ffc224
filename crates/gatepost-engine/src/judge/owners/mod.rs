//! Where owners stand, in the store as the platform says it.

mod held;
mod placing;
mod rounds;
mod standings;
#[cfg(test)]
mod tests;

pub(super) use standings::Owners;
