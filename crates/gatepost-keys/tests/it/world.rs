//! A platform with tenants, and key services over a store that can be made to fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use apikey_core::{ExceedsCaller, KeyDraft, KeyEdit, KeyId, LookupId, OwnerId};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, Denied, KeyError, KeyService, Principal, Quota,
    TenantId, Via,
};
use gatepost_kv::MemoryStore;
use gatepost_storage::keys::KeyRow;
use gatepost_storage::{KeyStore as _, ManualClock};
use gatepost_testkit::fault::FaultStore;

/// The platform's accounts: each user has one without a tenant until the test changes it.
#[derive(Debug, Default)]
pub(crate) struct Users(Mutex<HashMap<u128, Option<Account>>>);

impl Users {
    pub(crate) fn say(&self, owner: u128, account: Option<Account>) {
        self.0.lock().unwrap().insert(owner, account);
    }

    /// Moves a user to a tenant.
    pub(crate) fn put(&self, owner: u128, tenant: u128) {
        let account = Account::enabled(AccessLevel::User);
        self.say(owner, Some(account.in_tenant(TenantId(tenant))));
    }

    fn of(&self, owner: u128) -> Option<Account> {
        let said = self.0.lock().unwrap().get(&owner).cloned();
        said.unwrap_or_else(|| Some(Account::enabled(AccessLevel::User)))
    }
}

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(self.of(owner.0)))
    }
}

/// A key, and the header that presents it.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub id: KeyId,
    pub lookup: LookupId,
    pub header: String,
}

impl Made {
    /// Returns a key with the same id, another secret, and a valid checksum.
    pub(crate) fn forged(&self, round: u32) -> Self {
        let key = self.header.strip_prefix("Bearer ").unwrap();
        let (whole, _) = key.split_at(key.len() - 6);
        let (id, _) = whole.split_at(whole.len() - 33);
        let secret = format!("{id}{}", format!("{round:033}").replace('0', "z"));
        let mut check = crc32(secret.as_bytes());
        let alphabet = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
        let mut digits = [0; 6];
        for digit in digits.iter_mut().rev() {
            *digit = alphabet[(check % 58) as usize];
            check /= 58;
        }
        let digits = std::str::from_utf8(&digits).unwrap();
        Self {
            header: format!("Bearer {secret}{digits}"),
            ..self.clone()
        }
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc))
    })
}

pub(crate) struct World {
    pub store: Arc<FaultStore<MemoryStore>>,
    pub users: Arc<Users>,
    pub clock: Arc<ManualClock>,
    pub keys: KeyService,
}

impl World {
    /// Creates a world without quotas.
    pub(crate) fn new() -> Self {
        Self::with(Quota::UNLIMITED)
    }

    pub(crate) fn with(quota: Quota) -> Self {
        let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
        let users = Arc::new(Users::default());
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().unwrap()));
        let keys = KeyService::builder(store.clone(), users.clone())
            .clock(clock.clone())
            .quotas(Arc::new(quota))
            .build();
        Self {
            store,
            users,
            clock,
            keys,
        }
    }

    /// Returns another process over the same store.
    pub(crate) fn process(&self) -> KeyService {
        KeyService::builder(self.store.clone(), self.users.clone())
            .clock(self.clock.clone())
            .quotas(Arc::new(Quota::UNLIMITED))
            .build()
    }

    /// Returns the user, with the current account.
    pub(crate) fn user(&self, owner: u128) -> Principal {
        Principal::new(OwnerId(owner), self.users.of(owner).unwrap(), Via::Platform)
    }

    /// Returns a system administrator.
    pub(crate) fn administrator(&self) -> Principal {
        let account = Account::enabled(AccessLevel::SystemAdministrator);
        Principal::new(OwnerId(99), account, Via::Platform)
    }

    /// Creates a key of a user.
    pub(crate) async fn key(&self, owner: u128, name: &str) -> Made {
        let (row, reveal) = self.create(owner, name).await.unwrap();
        Made {
            id: row.id,
            lookup: row.key.lookup,
            header: format!("Bearer {}", reveal.reveal().as_str()),
        }
    }

    /// Disables a key as its owner, or enables it again.
    pub(crate) async fn switch(&self, key: &Made, enabled: bool) {
        let row = self.store.key(key.id).await.unwrap().unwrap();
        let owner = self.user(row.key.owner.0);
        let edit = KeyEdit::switch(enabled);
        self.keys.edit(&owner, key.id, &edit).await.unwrap();
    }

    pub(crate) async fn create(
        &self,
        owner: u128,
        name: &str,
    ) -> Result<(KeyRow, apikey_core::RevealOnce), KeyError> {
        self.keys
            .create(&self.user(owner), draft(owner, name))
            .await
    }
}

pub(crate) fn draft(owner: u128, name: &str) -> KeyDraft {
    KeyDraft::new(OwnerId(owner), name.parse().unwrap())
}

pub(crate) async fn present(keys: &KeyService, key: &Made) -> Result<(), Denied> {
    let from = "10.0.0.1".parse().unwrap();
    keys.authenticate([key.header.as_bytes()], from)
        .await
        .map(drop)
}

/// Returns the permission by which a refused key or edit exceeds the key of the request.
pub(crate) fn beyond<T>(result: Result<T, KeyError>) -> Option<ExceedsCaller> {
    match result {
        Err(KeyError::Beyond(beyond)) => Some(beyond),
        Err(error) => panic!("{error:?}"),
        Ok(_) => None,
    }
}
