//! A platform without tenants and limits, whose own cost is left out of the measurements.

use std::sync::Arc;

use gatepost_engine::EngineBuilder;
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, Quota};

/// Every user exists.
#[derive(Debug)]
struct Everybody;

impl Accounts for Everybody {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

/// Returns an engine of one system, in which every user exists and has no limit.
#[must_use]
pub fn one_system(engine: EngineBuilder) -> EngineBuilder {
    engine
        .one_system(Arc::new(Everybody))
        .quotas(Arc::new(Quota::UNLIMITED))
}
