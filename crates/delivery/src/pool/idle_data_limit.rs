//! The limit of data on a shared connection without a request in progress. With a request in
//! progress, the attempt's timeout limits it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::meter::Meter;

/// The number of requests in progress on a connection, and the limit of data without any.
#[derive(Debug)]
pub(crate) struct UnderWay {
    meter: Arc<Meter>,
    between: u64,
    requests: Mutex<usize>,
}

/// A request, from before it is sent until its response was read or dropped.
#[derive(Debug)]
pub(crate) struct Begun(Arc<UnderWay>);

impl UnderWay {
    /// Limits the bytes between one request and the next to `between`.
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
