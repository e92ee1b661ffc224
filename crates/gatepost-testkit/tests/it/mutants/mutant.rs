//! The store with one fault, and what it remembers to be wrong with.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use apikey_core::LastLogin;
use gatepost_storage::webhooks::{ClaimToken, Claimed, DeliveryId, RecordId};
use gatepost_storage::{MemoryStore, StoreError};

pub(crate) type Result<T> = std::result::Result<T, StoreError>;

/// The reference store with a fault, named by the clause that it breaks.
#[derive(Debug)]
pub(crate) struct Mutant {
    pub(crate) inner: Arc<MemoryStore>,
    fault: String,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) login: Option<LastLogin>,
    pub(crate) given: Vec<Claimed>,
    pub(crate) settled: Vec<ClaimToken>,
    pub(crate) tokens: HashMap<DeliveryId, ClaimToken>,
    pub(crate) failed: bool,
    pub(crate) spoilt: BTreeSet<RecordId>,
}

impl Mutant {
    pub(crate) fn new(fault: &str) -> Self {
        Self {
            inner: Arc::new(MemoryStore::new()),
            fault: fault.to_owned(),
            notes: Mutex::default(),
        }
    }

    pub(crate) fn fault(&self) -> &str {
        &self.fault
    }

    pub(crate) fn is(&self, faults: &[&str]) -> bool {
        faults.contains(&self.fault.as_str())
    }

    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap()
    }
}

/// The methods of a trait that have no fault, and after them those that have.
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
