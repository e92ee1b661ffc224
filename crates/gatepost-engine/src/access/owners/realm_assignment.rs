//! Owners without a realm in the store: from a database that is older than realms, or was written
//! by others.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gatepost_storage::StoreError;
use gatepost_storage::owners::OwnerFilter;

use super::reconciliation::Owners;
use super::rounds::PAGE;

const LEASE: &str = "assign owners";
/// The maximum count.
const COUNTED: u32 = 10_000;
/// The interval at which unplaced owners are looked for while there are some.
const SOON: Duration = Duration::from_secs(5);
/// The interval while there are none: an owner who creates a record here is placed first.
const SELDOM: Duration = Duration::from_secs(300);

impl Owners {
    /// Assigns owners to realms, page by page, until the engine stops.
    pub(in crate::access) async fn place_all(self: Arc<Self>) {
        while self.lifecycle.is_running() && !self.book.one_system {
            if let Err(error) = self.place_pages().await {
                Self::give_up("places", &error);
            }
            let pause = if self.unplaced() == 0 { SELDOM } else { SOON };
            self.lifecycle.rest(pause).await;
        }
    }

    /// Makes one walk if this process may; counts in any case.
    async fn place_pages(&self) -> Result<(), StoreError> {
        let mut after = None;
        while self.lifecycle.is_running() && self.count_unplaced().await? > 0 {
            let page = self
                .store
                .list_owners(OwnerFilter::Unplaced, after, PAGE)
                .await?;
            let page: Vec<_> = page.iter().map(|row| row.owner).collect();
            after = page.last().copied();
            if after.is_none() || !self.may_walk(LEASE).await? {
                break;
            }
            self.ask_about(&page).await?;
        }
        self.count_unplaced().await?;
        Ok(())
    }

    async fn count_unplaced(&self) -> Result<u64, StoreError> {
        let unplaced = self.store.list_owners(OwnerFilter::Unplaced, None, COUNTED);
        let unplaced = unplaced.await?.len() as u64;
        self.unplaced.store(unplaced, Ordering::Relaxed);
        Ok(unplaced)
    }
}
