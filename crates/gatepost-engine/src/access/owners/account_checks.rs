//! Regular questions about owners that nothing else asks about. Deliveries of owners whose account
//! is disabled or missing must not be sent. An owner whose realm has changed, as a user without a
//! tenant who became a system administrator, must leave the old realm.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::WebhookId;
use gatepost_storage::owners::OwnerFilter;
use gatepost_storage::webhooks::WebhookQuery;
use gatepost_storage::{Page, Scope, StoreError};

use super::reconciliation::Owners;
use super::rounds::PAGE;

const LEASE: &str = "ask about held owners";
/// The pause between two walks.
const ROUND: Duration = Duration::from_secs(60);

impl Owners {
    /// Asks every minute about each suspended owner, and about the owners of the next webhooks,
    /// until the engine stops.
    pub(in crate::access) async fn ask_held(self: Arc<Self>) {
        let mut webhook = None;
        while self.lifecycle.is_running() {
            self.lifecycle.rest(ROUND).await;
            if let Err(error) = self.ask_held_pages().await {
                Self::give_up("held", &error);
            }
            match self.ask_about_page(webhook).await {
                Ok(next) => webhook = next,
                Err(error) => Self::give_up("owners of webhooks", &error),
            }
        }
    }

    /// Asks about the owners of the webhooks after this one. Returns the end of the page; `None`
    /// after the last.
    async fn ask_about_page(
        &self,
        after: Option<WebhookId>,
    ) -> Result<Option<WebhookId>, StoreError> {
        // On a platform that is one system all are in one realm.
        if self.book.one_system || !self.lifecycle.is_running() || !self.may_walk(LEASE).await? {
            return Ok(after);
        }
        let page = Page::first(PAGE);
        let query = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: after.map_or(page, |after| page.beyond(after)),
        };
        let webhooks = self.store.list_webhooks(&query).await?;
        let owners: BTreeSet<_> = webhooks.iter().map(|row| row.owner).collect();
        let owners: Vec<_> = owners.into_iter().collect();
        self.ask_about(&owners).await?;
        Ok(webhooks.last().map(|row| row.id))
    }

    async fn ask_held_pages(&self) -> Result<(), StoreError> {
        let mut after = None;
        while self.lifecycle.is_running() && self.may_walk(LEASE).await? {
            let page = self.store.list_owners(OwnerFilter::Suspended, after, PAGE);
            let page = page.await?;
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
