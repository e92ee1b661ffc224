//! The users of the platform of the measurements: ten users a tenant, by their numbers.

use gatepost_engine::{PolicyAnswer, PolicyQuestion, SubscriptionPolicy};
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, TenantId};
use webhook_model::{Audience, Occurrence};

/// Owners from here on have no tenant.
pub const ALONE: u128 = 1_000_000_000;

/// The accounts: ten users a tenant, by their numbers.
#[derive(Debug)]
pub struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let account = Account::enabled(AccessLevel::TenantAdministrator);
        AccountAnswer::Now(Ok(Some(match tenant_of(owner) {
            Some(tenant) => account.in_tenant(tenant),
            None => Account::enabled(AccessLevel::User),
        })))
    }
}

/// A policy that lets all users watch everything addressed to them, and answers immediately.
#[derive(Debug)]
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

/// Returns the tenant of an owner.
#[must_use]
pub fn tenant_of(owner: OwnerId) -> Option<TenantId> {
    (owner.0 < ALONE).then_some(TenantId(owner.0 / 10))
}

/// Returns the audience of this owner's occurrences.
#[must_use]
pub fn audience_of(owner: OwnerId) -> Audience {
    tenant_of(owner).map_or(Audience::Owner(owner), Audience::Tenant)
}

pub(super) fn account(owner: OwnerId) -> Account {
    let account = Account::enabled(AccessLevel::User);
    match tenant_of(owner) {
        Some(tenant) => account.in_tenant(tenant),
        None => account,
    }
}

/// Returns an occurrence of this owner.
#[must_use]
pub fn occurrence(owner: OwnerId) -> Occurrence {
    Occurrence::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        audience_of(owner),
    )
}
