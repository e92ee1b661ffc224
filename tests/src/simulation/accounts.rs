//! The users: three tenants, each with an administrator and two users.

use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, TenantId};

/// All of them.
pub(super) const ALL: [u128; 9] = [10, 11, 12, 20, 21, 22, 30, 31, 32];

/// A system administrator, who is in no tenant.
pub(super) const OPERATOR: u128 = 99;

/// Tenants are 1 to 3; of tenant 2, 20 is the administrator, and 21 and 22 are users.
#[derive(Debug)]
pub(super) struct Users;

/// The tenant's administrator.
pub(super) fn administrator(owner: u128) -> u128 {
    owner / 10 * 10
}

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        if owner.0 == OPERATOR {
            let account = Account::enabled(AccessLevel::SystemAdministrator);
            return AccountAnswer::Now(Ok(Some(account)));
        }
        let access = match owner.0 % 10 {
            0 => AccessLevel::TenantAdministrator,
            _ => AccessLevel::User,
        };
        let account = Account::enabled(access).in_tenant(TenantId(owner.0 / 10));
        AccountAnswer::Now(Ok(ALL.contains(&owner.0).then_some(account)))
    }
}
