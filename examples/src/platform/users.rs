//! The users: their tenants, rights and quotas.

use gatepost_ids::{
    AccessLevel, Account, AccountAnswer, Accounts, OwnerId, Quota, Quotas, TenantId, trim_pasted,
};
use gatepost_keys::{Principal, Via};
use serde_json::{Value, json};

use super::Platform;

/// The provider's own company, which is a customer like the others.
const PROVIDER: TenantId = TenantId(1);
/// Another customer.
const SHOP: TenantId = TenantId(2);

/// `admin` and `wanda` administer everything and are in no tenant; `vera` is a customer by herself.
const USERS: [User; 6] = [
    User::new(1, "admin", AccessLevel::SystemAdministrator, None),
    User::new(2, "tina", AccessLevel::TenantAdministrator, Some(PROVIDER)),
    User::new(3, "ulf", AccessLevel::User, Some(PROVIDER)),
    User::new(4, "vera", AccessLevel::User, None),
    User::new(5, "uma", AccessLevel::TenantAdministrator, Some(SHOP)),
    User::new(6, "wanda", AccessLevel::SystemAdministrator, None),
];
/// The tenants' names.
pub(super) const TENANTS: [(TenantId, &str); 3] =
    [(PROVIDER, "provider"), (SHOP, "shop"), (TenantId(3), "lab")];

/// A user.
#[derive(Clone, Copy, Debug)]
struct User {
    name: &'static str,
    who: Who,
}

impl User {
    const fn new(
        key: u128,
        name: &'static str,
        access: AccessLevel,
        tenant: Option<TenantId>,
    ) -> Self {
        let who = Who {
            key: OwnerId(key),
            access,
            tenant,
        };
        Self { name, who }
    }

    fn of(owner: OwnerId) -> Option<Self> {
        USERS.into_iter().find(|user| user.who.key == owner)
    }

    fn described(&self) -> String {
        let access = match self.who.access {
            AccessLevel::SystemAdministrator => "system administrator",
            AccessLevel::TenantAdministrator => "tenant administrator",
            _ => "user",
        };
        let tenant = TENANTS
            .iter()
            .find(|(key, _)| self.who.tenant == Some(*key));
        match tenant {
            Some((_, name)) => format!("{access} of {name}"),
            None => format!("{access} without a tenant"),
        }
    }

    fn account(&self) -> Account {
        let account = Account::enabled(self.who.access);
        match self.who.tenant {
            Some(tenant) => account.in_tenant(tenant),
            None => account,
        }
    }
}

/// The facts that decide how much a user may see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    pub key: OwnerId,
    pub access: AccessLevel,
    pub tenant: Option<TenantId>,
}

impl Who {
    /// Returns the facts about the user of this number.
    pub(super) fn of(owner: OwnerId) -> Option<Self> {
        User::of(owner).map(|user| user.who)
    }

    /// Returns whether this is a system administrator: in no tenant, and sees and receives
    /// everything in all of them.
    pub(super) fn runs_the_platform(&self) -> bool {
        self.access == AccessLevel::SystemAdministrator
    }

    /// Returns whether these are the same, are in one tenant, or one administers the other.
    pub(super) fn knows(&self, other: &Self) -> bool {
        let colleagues = self.tenant.is_some() && self.tenant == other.tenant;
        self.key == other.key || colleagues || self.administers(other)
    }

    /// Returns whether the other is in the tenant that this one administers. System administrators
    /// administer everybody.
    pub(super) fn administers(&self, other: &Self) -> bool {
        match self.access {
            AccessLevel::SystemAdministrator => true,
            AccessLevel::TenantAdministrator => {
                self.tenant.is_some() && self.tenant == other.tenant
            }
            _ => false,
        }
    }
}

impl From<&Principal> for Who {
    fn from(caller: &Principal) -> Self {
        Self {
            key: caller.owner,
            access: caller.access,
            tenant: caller.tenant,
        }
    }
}

/// Returns the rows of the table `users` that a caller may see: those of the caller's tenant, and
/// of all tenants for a system administrator. Only administrators see the addresses of others.
pub(super) fn rows(caller: &Principal) -> Vec<Value> {
    let reader = Who::from(caller);
    let seen = USERS.iter().filter(|user| reader.knows(&user.who));
    seen.map(|user| row(user, &reader)).collect()
}

fn row(user: &User, reader: &Who) -> Value {
    let email = if user.who.key == reader.key || reader.administers(&user.who) {
        format!("{}@example.com", user.name)
    } else {
        String::new()
    };
    json!({
        "$key": user.who.key, "name": user.name, "displayname": user.name, "email": email,
        "type": "normal", "enabled": true, "created": 0, "last_login": 0,
    })
}

impl Platform {
    /// Returns each user's name and role.
    pub fn people() -> impl Iterator<Item = (&'static str, String)> {
        USERS.iter().map(|user| (user.name, user.described()))
    }

    pub(super) fn named(name: &str) -> Option<OwnerId> {
        let name = trim_pasted(name);
        let user = USERS.iter().find(|user| user.name == name);
        user.map(|user| user.who.key)
    }

    /// Returns the user as logged in by the platform's own means; `None` if there is no such user.
    #[must_use]
    pub fn principal(owner: OwnerId) -> Option<Principal> {
        let user = User::of(owner)?;
        Some(Principal::new(owner, user.account(), Via::Platform))
    }
}

impl Accounts for Platform {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(User::of(owner).map(|user| user.account())))
    }
}

impl Quotas for Platform {
    fn quota(&self, owner: OwnerId) -> Quota {
        match Who::of(owner) {
            Some(who) if who.tenant.is_some() || who.runs_the_platform() => Quota::default(),
            // A customer who pays nothing.
            _ => Quota::default()
                .with_webhooks(5)
                .with_tasks(20)
                .with_events(50)
                .with_waiting(1_000),
        }
    }
}
