//! A platform that permits everything, for tests about other subjects.

use std::sync::Arc;

use gatepost_engine::{EngineBuilder, PolicyAnswer, PolicyQuestion, SubscriptionPolicy};
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, Quota};

/// The accounts of one system in which every user exists.
#[derive(Clone, Copy, Debug)]
pub struct Everybody;

impl Accounts for Everybody {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

/// A policy by which everybody may watch everything within a realm.
#[derive(Clone, Copy, Debug)]
pub struct Everything;

impl SubscriptionPolicy for Everything {
    fn may_receive<'a>(
        &'a self,
        _question: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a> {
        PolicyAnswer::each(owners, |_| true)
    }
}

/// Returns an engine of one system, in which every user exists and has no limit.
pub fn one_system(engine: EngineBuilder) -> EngineBuilder {
    engine
        .one_system(Arc::new(Everybody))
        .quotas(Arc::new(Quota::UNLIMITED))
}

/// Returns an engine of a platform with tenants, whose users may watch everything that reaches them
/// and have no limit.
pub fn with_tenants(engine: EngineBuilder, accounts: Arc<dyn Accounts>) -> EngineBuilder {
    engine
        .subscription_policy(accounts, Arc::new(Everything))
        .quotas(Arc::new(Quota::UNLIMITED))
}
