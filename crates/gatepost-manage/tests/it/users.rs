//! The platform of the tests: its users, and code with moods.

use std::collections::HashMap;
use std::sync::Mutex;

use async_trait::async_trait;
use gatepost_engine::{Decision, PolicyAnswer, PolicyQuestion, SubscriptionPolicy};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AccountsError, OwnerId, Principal, TenantId, Via,
};
use gatepost_manage::{Audit, Audited, Choice, Directory, Operation};
use webhook_model::{ObjectId, Target};

/// The system administrator.
pub(crate) const ADMIN: u128 = 1;
/// The administrator of the tenant of `OWNER`.
pub(crate) const TENANT: u128 = 2;
/// The owner of the rows.
pub(crate) const OWNER: u128 = 3;
/// A user without a tenant.
pub(crate) const STRANGER: u128 = 4;
/// Another user of the tenant of `OWNER`.
pub(crate) const BESIDE: u128 = 5;
/// The administrator of another tenant.
pub(crate) const ABROAD: u128 = 6;
/// A user of that other tenant, whose id is a UUID.
pub(crate) const MEMBER: u128 = u128::MAX;
/// A system administrator in the tenant of `OWNER`.
pub(crate) const INSIDE: u128 = 8;
/// A tenant's administrator by the platform's answer, who is in none.
pub(crate) const LONE: u128 = 9;

pub(crate) const EVERYBODY: [u128; 9] = [
    ADMIN, TENANT, OWNER, STRANGER, BESIDE, ABROAD, MEMBER, INSIDE, LONE,
];

/// An object that is not there.
pub(crate) const NO_OBJECT: u128 = 404;

/// Returns the users whose rows a user sees, written out independently of the rule of `Management`.
pub(crate) fn sees(user: u128) -> &'static [u128] {
    match user {
        ADMIN | INSIDE => &EVERYBODY,
        TENANT => &[TENANT, OWNER, BESIDE],
        OWNER => &[OWNER],
        STRANGER => &[STRANGER],
        BESIDE => &[BESIDE],
        ABROAD => &[ABROAD, MEMBER],
        MEMBER => &[MEMBER],
        LONE => &[LONE],
        _ => &[],
    }
}

/// The tenant of a user.
pub(crate) fn tenant_of(user: u128) -> Option<TenantId> {
    match user {
        TENANT | OWNER | BESIDE | INSIDE => Some(TenantId(1)),
        ABROAD | MEMBER => Some(TenantId(2)),
        _ => None,
    }
}

pub(crate) fn account_of(owner: OwnerId) -> Option<Account> {
    let access = match owner.0 {
        ADMIN | INSIDE => AccessLevel::SystemAdministrator,
        TENANT | ABROAD | LONE => AccessLevel::TenantAdministrator,
        OWNER | STRANGER | BESIDE | MEMBER => AccessLevel::User,
        _ => return None,
    };
    let mut account = Account::enabled(access);
    account.tenant = tenant_of(owner.0);
    Some(account)
}

pub(crate) fn user(user: u128) -> Principal {
    let owner = OwnerId(user);
    Principal::new(owner, account_of(owner).unwrap(), Via::Platform)
}

/// An object of the platform.
pub(crate) fn object(number: u128) -> ObjectId {
    OwnerId(number).into()
}

/// The state of the platform's code.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Mood {
    #[default]
    Well,
    Panics,
    Hangs,
    Errs,
}

/// The platform's code: accounts of `OWNER`, all names, and the audit log go by their moods.
#[derive(Debug, Default)]
pub(crate) struct Platform {
    pub accounts: Mutex<Mood>,
    pub directory: Mutex<Mood>,
    pub audit: Mutex<Mood>,
    pub heard: Mutex<Vec<(u128, &'static str, ObjectId, Operation)>>,
    /// Users who moved to another tenant.
    pub moved: Mutex<HashMap<u128, TenantId>>,
}

impl Accounts for Platform {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let mood = *self.accounts.lock().unwrap();
        let moved = self.moved.lock().unwrap().get(&owner.0).copied();
        match mood {
            Mood::Panics if owner.0 == OWNER => panic!("on purpose"),
            Mood::Hangs if owner.0 == OWNER => {
                AccountAnswer::Later(Box::pin(std::future::pending()))
            }
            Mood::Errs if owner.0 == OWNER => {
                AccountAnswer::Now(Err(AccountsError("on purpose".into())))
            }
            _ => {
                let mut account = account_of(owner);
                if let (Some(account), Some(moved)) = (&mut account, moved) {
                    account.tenant = Some(moved);
                }
                AccountAnswer::Now(Ok(account))
            }
        }
    }
}

/// The policy: each user may watch the one object with the user's number.
impl SubscriptionPolicy for Platform {
    fn may_receive<'a>(
        &'a self,
        question: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a> {
        PolicyAnswer::each(owners, |owner| match question.target {
            Target::Instance(id) if id == object(NO_OBJECT) => Decision::NoSuchObject,
            Target::Instance(id) => (id == object(owner.0)).into(),
            Target::Tag(_) | Target::Generic => Decision::Yes,
        })
    }
}

#[async_trait]
impl Directory for Platform {
    async fn name(&self, caller: &Principal, table: &str, key: ObjectId) -> Option<String> {
        let mood = *self.directory.lock().unwrap();
        match mood {
            Mood::Well => Some(format!("{table} {key} for {}", caller.owner)),
            Mood::Panics => panic!("on purpose"),
            Mood::Hangs => std::future::pending().await,
            Mood::Errs => None,
        }
    }

    async fn choices(&self, caller: &Principal, table: &str, limit: usize) -> Vec<Choice> {
        let Some(name) = self.name(caller, table, object(1)).await else {
            return Vec::new();
        };
        // One more than requested, as a careless platform might return.
        vec![Choice::new(object(1), name); limit + 1]
    }
}

impl Audit for Platform {
    fn record(&self, change: &Audited<'_>) {
        assert_eq!(*self.audit.lock().unwrap(), Mood::Well, "on purpose");
        let row = change.row.unwrap();
        let actor = change.actor.owner.0;
        let record = (actor, change.table, row, change.operation);
        self.heard.lock().unwrap().push(record);
    }
}
