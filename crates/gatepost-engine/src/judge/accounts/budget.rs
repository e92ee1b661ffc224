//! How many questions that have to be waited for begin in a second.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gatepost_ids::TenantId;
use tokio::time::Instant;

/// Questions in a second.
pub(super) const ALL: u32 = 100;
/// Of those, about the users of one tenant, so that it does not keep others from being asked about.
const OF_ONE_TENANT: u32 = 25;
const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Budget(Mutex<Spent>);

#[derive(Debug)]
struct Spent {
    since: Instant,
    all: u32,
    /// Has no more entries than `all` counts.
    of: HashMap<TenantId, u32>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Spent::nothing()))
    }

    /// Whether one more may begin, about a user of this tenant as far as is known.
    pub(super) fn take(&self, tenant: Option<TenantId>) -> bool {
        let mut spent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spent.since.elapsed() >= SECOND {
            *spent = Spent::nothing();
        }
        if spent.all >= ALL {
            return false;
        }
        if let Some(tenant) = tenant {
            let of_tenant = spent.of.entry(tenant).or_default();
            if *of_tenant >= OF_ONE_TENANT {
                return false;
            }
            *of_tenant += 1;
        }
        spent.all += 1;
        true
    }
}

impl Spent {
    fn nothing() -> Self {
        Self {
            since: Instant::now(),
            all: 0,
            of: HashMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_tenant_has_a_quarter_of_the_questions_of_a_second() {
        let budget = Budget::new();
        let begun = |tenant| (0..100_000).filter(|_| budget.take(tenant)).count();
        assert_eq!(begun(Some(TenantId(1))), 25);
        assert_eq!(begun(Some(TenantId(2))), 25);
        assert_eq!(begun(None), 50);
        assert_eq!(begun(Some(TenantId(3))), 0);
        tokio::time::advance(SECOND).await;
        assert_eq!(begun(Some(TenantId(1))), 25, "a second has passed");
    }
}
