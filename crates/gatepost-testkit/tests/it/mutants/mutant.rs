//! The store with one fault, and the memory that its fault needs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use apikey_core::LastLogin;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_kv::MemoryStore;
use gatepost_storage::keys::KeyUse;
use gatepost_storage::webhooks::{ClaimToken, Claimed, DeliveryId, MessageId, RecordStore as _};
use gatepost_storage::{Scope, StoreError};
use gatepost_testkit::fault::FaultStore;

pub(crate) type Result<T> = std::result::Result<T, StoreError>;

/// The reference store with a fault, named by the contract test that it breaks.
#[derive(Debug)]
pub(crate) struct Mutant {
    pub(crate) inner: FaultStore<MemoryStore>,
    fault: String,
    notes: Mutex<Notes>,
    /// A lock that allows one claim at a time: of concurrent claims, the last recorded one would
    /// otherwise decide what a mutant repeats, and sometimes none would repeat anything.
    pub(crate) claims: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) login: Option<LastLogin>,
    pub(crate) uses: Vec<KeyUse>,
    pub(crate) given: Vec<Claimed>,
    pub(crate) settled: Vec<ClaimToken>,
    pub(crate) tokens: HashMap<DeliveryId, ClaimToken>,
    pub(crate) names: HashSet<MessageId>,
    pub(crate) failed: bool,
    pub(crate) unplaced: BTreeSet<OwnerId>,
    pub(crate) latest: Option<DateTime<Utc>>,
}

impl Mutant {
    pub(crate) fn new(fault: &str) -> Self {
        Self {
            inner: FaultStore::new(Arc::new(MemoryStore::new())),
            fault: fault.to_owned(),
            notes: Mutex::default(),
            claims: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn fault(&self) -> &str {
        &self.fault
    }

    pub(crate) fn is(&self, faults: &[&str]) -> bool {
        faults.contains(&self.fault.as_str())
    }

    /// Fails, with this fault, if there is a record that cannot be read.
    pub(crate) async fn trip(&self, fault: &str) -> Result<()> {
        if self.is(&[fault]) && !self.inner.unreadable(Scope::All, 1).await?.is_empty() {
            return Err(StoreError::corrupt("record", "unreadable"));
        }
        Ok(())
    }

    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap()
    }
}

/// The methods of a trait without a fault, and after them those with one.
macro_rules! passed_on {
    ($trait:ident { $(fn $name:ident($($arg:ident: $ty:ty),*) -> $ok:ty;)* } $($more:tt)*) => {
        #[async_trait::async_trait]
        impl $trait for Mutant {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$ok> {
                self.inner.$name($($arg),*).await
            })*
            $($more)*
        }
    };
}
pub(crate) use passed_on;
