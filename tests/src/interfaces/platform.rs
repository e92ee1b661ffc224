//! The platform's code, which may fail.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AccountsError, Principal, TenantId,
};
use gatepost_manage::{Audit, Audited, Choice, Directory, Operation};
use webhook_model::{ObjectId, OwnerId};

/// The state of a part of the platform.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Mood {
    /// It answers.
    #[default]
    Well,
    /// It panics.
    Panics,
    /// It never answers.
    Hangs,
    /// It answers with an error, or with nothing.
    Errs,
}

/// The platform's accounts and names. The administrator 1 is always known; the mood decides the
/// answers about the others: 2 administers the tenant of 1 and 3, 4 is in no tenant.
#[derive(Clone, Debug, Default)]
pub struct Moody {
    accounts: Arc<Mutex<Mood>>,
    directory: Arc<Mutex<Mood>>,
}

impl Moody {
    /// Sets how the accounts of user 3 are answered from now on.
    pub fn set_accounts(&self, mood: Mood) {
        *self.accounts.lock().unwrap_or_else(PoisonError::into_inner) = mood;
    }

    /// Sets how names are answered from now on.
    pub fn set_directory(&self, mood: Mood) {
        *self
            .directory
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = mood;
    }

    fn account_of(owner: OwnerId) -> Option<Account> {
        let tenant = |access| Account::enabled(access).in_tenant(TenantId(1));
        match owner.0 {
            1 => Some(tenant(AccessLevel::SystemAdministrator)),
            2 => Some(tenant(AccessLevel::TenantAdministrator)),
            3 => Some(tenant(AccessLevel::User)),
            4 => Some(Account::enabled(AccessLevel::User)),
            _ => None,
        }
    }
}

impl Accounts for Moody {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let mood = *self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        match mood {
            Mood::Panics if owner.0 == 3 => panic!("the accounts panic on purpose"),
            Mood::Hangs if owner.0 == 3 => AccountAnswer::Later(Box::pin(std::future::pending())),
            Mood::Errs if owner.0 == 3 => {
                AccountAnswer::Now(Err(AccountsError("the accounts err on purpose".into())))
            }
            _ => AccountAnswer::Now(Ok(Self::account_of(owner))),
        }
    }
}

#[async_trait]
impl Directory for Moody {
    async fn name(&self, _caller: &Principal, table: &str, key: ObjectId) -> Option<String> {
        let mood = *self
            .directory
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match mood {
            Mood::Well => Some(format!("{table} {key}")),
            Mood::Panics => panic!("the directory panics on purpose"),
            Mood::Hangs => std::future::pending().await,
            Mood::Errs => None,
        }
    }

    async fn choices(&self, caller: &Principal, table: &str, limit: usize) -> Vec<Choice> {
        let name = self.name(caller, table, ObjectId::from(1)).await;
        name.map(|name| Choice::new(ObjectId::from(1), name))
            .into_iter()
            .take(limit)
            .collect()
    }
}

/// Table, row and operation.
type Record = (&'static str, i64, Operation);

/// The entries that the audit log received: table, row and operation. A test may make it panic.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    records: Arc<Mutex<Vec<Record>>>,
    panics: Arc<Mutex<bool>>,
}

impl Heard {
    /// Returns all records so far.
    #[must_use]
    pub fn all(&self) -> Vec<Record> {
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.clone()
    }

    /// Sets whether it panics at each record from now on.
    pub fn set_panics(&self, panics: bool) {
        *self.panics.lock().unwrap_or_else(PoisonError::into_inner) = panics;
    }
}

impl Audit for Heard {
    fn record(&self, change: &Audited<'_>) {
        let panics = *self.panics.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(!panics, "the audit log panics on purpose");
        let record = (
            change.table,
            change
                .row
                .and_then(|row| row.as_number())
                .unwrap_or_default(),
            change.operation,
        );
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.push(record);
    }
}
