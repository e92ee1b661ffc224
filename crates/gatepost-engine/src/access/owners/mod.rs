//! The realms and status of owners, stored as the platform says.

mod account_checks;
mod realm_assignment;
mod reconciliation;
mod rounds;
#[cfg(test)]
mod tests;

pub(super) use reconciliation::Owners;
