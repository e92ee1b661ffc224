//! A gate at which a store holds one call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gatepost_storage::StoreError;
use tokio::sync::Semaphore;

/// The moment at which a call is held.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum When {
    /// Before the change is stored.
    Before,
    /// After the change is stored, before the caller receives the result.
    After,
}

/// Holds one call of a store until it is released, so that a test can act in the middle of it.
#[derive(Debug)]
pub struct Gate {
    plan: Mutex<Option<(&'static str, u64, When)>>,
    /// One permit for a call that has reached the gate.
    arrived: Semaphore,
    open: Semaphore,
    /// One permit for a call that has ended: it was carried out, or dropped.
    ended: Semaphore,
    carried_out: Mutex<bool>,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            plan: Mutex::new(None),
            arrived: Semaphore::new(0),
            open: Semaphore::new(0),
            ended: Semaphore::new(0),
            carried_out: Mutex::new(false),
        }
    }
}

impl Gate {
    /// Holds the `nth` call of this method from now on, once. The first is 1.
    pub fn hold(&self, method: &'static str, nth: u64, when: When) {
        *lock(&self.plan) = Some((method, nth, when));
    }

    /// Waits until the call is held.
    pub async fn arrived(&self) {
        pass(&self.arrived).await;
    }

    /// Releases the held call.
    pub fn open(&self) {
        self.open.add_permits(1);
    }

    /// Waits until the held call has ended. Returns whether it was carried out; `false` if it was
    /// dropped.
    pub async fn ended(&self) -> bool {
        pass(&self.ended).await;
        *lock(&self.carried_out)
    }

    fn when(&self, method: &'static str) -> Option<When> {
        let mut plan = lock(&self.plan);
        let (planned, nth, when) = (*plan)?;
        if planned != method {
            return None;
        }
        *plan = (nth > 1).then_some((planned, nth - 1, when));
        (nth <= 1).then_some(when)
    }

    pub(super) async fn call<T>(
        &self,
        method: &'static str,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let Some(when) = self.when(method) else {
            return call.await;
        };
        let _ended = Ended(&self.ended);
        if when == When::Before {
            self.wait().await;
        }
        let result = call.await;
        *lock(&self.carried_out) = result.is_ok();
        if when == When::After {
            self.wait().await;
        }
        result
    }

    async fn wait(&self) {
        self.arrived.add_permits(1);
        pass(&self.open).await;
    }
}

/// Signals the end of a held call, also when it is dropped.
struct Ended<'a>(&'a Semaphore);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

async fn pass(semaphore: &Semaphore) {
    if let Ok(permit) = semaphore.acquire().await {
        permit.forget();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
