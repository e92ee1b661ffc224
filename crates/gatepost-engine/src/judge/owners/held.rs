//! Owners whose account is disabled or missing: nothing of theirs is sent, so that nothing asks
//! about them but this.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::StoreError;

use super::rounds::PAGE;
use super::standings::Owners;

const LEASE: &str = "ask about held owners";
/// From the end of one walk to the next.
const ROUND: Duration = Duration::from_secs(60);

impl Owners {
    /// Asks about each owner that is held, each minute, until the engine stops.
    pub(in crate::judge) async fn ask_held(self: Arc<Self>) {
        while self.lifecycle.is_running() {
            self.lifecycle.rest(ROUND).await;
            if let Err(error) = self.ask_held_pages().await {
                Self::give_up("held", &error);
            }
        }
    }

    async fn ask_held_pages(&self) -> Result<(), StoreError> {
        let mut after = None;
        while self.lifecycle.is_running() && self.may_walk(LEASE).await? {
            let page = self.store.held_owners(after, PAGE).await?;
            let page: Vec<_> = page.iter().map(|row| row.owner).collect();
            after = page.last().copied();
            if after.is_none() {
                break;
            }
            self.ask_about(&page).await?;
        }
        Ok(())
    }
}
