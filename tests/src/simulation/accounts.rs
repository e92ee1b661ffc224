//! The users: three tenants, each with an administrator and two users.

use std::time::Duration;

use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, TenantId};
use tokio::time::Instant;

/// All users.
pub(super) const ALL: [u128; 9] = [10, 11, 12, 20, 21, 22, 30, 31, 32];

/// A system administrator without a tenant.
pub(super) const OPERATOR: u128 = 99;

/// The delay of answers that do not come immediately.
const LATE: Duration = Duration::from_secs(3);
/// The interval in minutes between minutes with late answers.
const TURNS: u64 = 3;

/// The accounts. Tenants are 1 to 3; of tenant 2, 20 is the administrator, and 21 and 22 are users.
#[derive(Debug, Default)]
pub(super) struct Users {
    /// The time since which answers about administrators are late in the first of three minutes
    /// each: in that minute, occurrences for the administrator wait in the outbox.
    late_since: Option<Instant>,
}

impl Users {
    pub(super) fn late_since(began: Instant) -> Self {
        Self {
            late_since: Some(began),
        }
    }

    fn is_late(&self, owner: OwnerId) -> bool {
        let minutes = |since: Instant| since.elapsed().as_secs() / 60;
        let is_its_turn = |since| minutes(since).is_multiple_of(TURNS);
        administrator(owner.0) == owner.0 && self.late_since.is_some_and(is_its_turn)
    }
}

/// Returns the tenant's administrator.
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
        let answer = Ok(ALL.contains(&owner.0).then_some(account));
        match self.is_late(owner) {
            true => AccountAnswer::Later(Box::pin(async {
                tokio::time::sleep(LATE).await;
                answer
            })),
            false => AccountAnswer::Now(answer),
        }
    }
}
