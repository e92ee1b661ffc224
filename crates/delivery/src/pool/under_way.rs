//! What may come of a shared connection on which no request is under way. Of one that is under way
//! the attempt's own time ends it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::meter::Meter;

/// The requests that are under way on a connection, and how much may come once there are none.
#[derive(Debug)]
pub(crate) struct UnderWay {
    meter: Arc<Meter>,
    between: u64,
    requests: Mutex<usize>,
}

/// A request, from before it is sent until its response was read or given up.
#[derive(Debug)]
pub(crate) struct Begun(Arc<UnderWay>);

impl UnderWay {
    /// At most `between` bytes may be read from one request to the next.
    pub(super) fn new(meter: Arc<Meter>, between: u64) -> Arc<Self> {
        meter.bound(between);
        Arc::new(Self {
            meter,
            between,
            requests: Mutex::default(),
        })
    }

    pub(super) fn begin(self: &Arc<Self>) -> Begun {
        let mut requests = self.requests();
        *requests += 1;
        self.meter.unbound();
        Begun(Arc::clone(self))
    }

    pub(super) fn is_any(&self) -> bool {
        *self.requests() > 0
    }

    fn requests(&self) -> MutexGuard<'_, usize> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let mut requests = self.0.requests();
        *requests -= 1;
        if *requests == 0 {
            self.0.meter.bound(self.0.between);
        }
    }
}
