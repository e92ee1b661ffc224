//! [`Authorizer`], its parts, and their loops.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::{Accounts, Audience, Quotas};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::WebhookStore;
use webhook_model::Catalog;

use super::accounts::AccountBook;
use super::failures::Failures;
use super::owners::Owners;
use super::quotas::{Rates, RejectedCounts, UsageBook};
use super::rule::Rule;
use super::subscription_policy::PolicyCache;
use crate::clock::EngineClock;
use crate::config::OperationalEvents;
use crate::guard::guarded;
use crate::lifecycle::Lifecycle;
use crate::observer::Observers;

/// The interval at which counts are written.
const FLUSH: Duration = Duration::from_secs(1);

/// Answers questions instead of the platform. All that it keeps is bounded, whatever the number of
/// owners.
#[derive(Debug)]
pub(crate) struct Authorizer {
    pub(super) decides: Decides,
    pub(super) audiences: Audiences,
    pub(super) book: Arc<AccountBook>,
    pub(super) owners: Arc<Owners>,
    pub(super) usage: Arc<UsageBook>,
    pub(super) rejected: RejectedCounts,
    /// Manual runs of owners, and runs that their occurrences cause.
    pub(super) runs: Arc<Rates>,
    /// Changes of records by system administrators without a tenant.
    pub(super) changes: Rates,
}

/// Default audiences, and the occurrences that have one by definition.
#[derive(Clone, Debug)]
pub(super) struct Audiences {
    /// The audience of outbox rows that name none.
    pub default: Option<Audience>,
    /// Occurrences of these are for their owner, whatever the platform's rule is.
    pub own: OperationalEvents,
    /// Says which occurrences users cause.
    pub catalog: Catalog,
}

/// The part that decides who receives what.
#[derive(Debug)]
pub(super) enum Decides {
    Nobody,
    Address,
    Platform(Arc<PolicyCache>),
}

/// The dependencies of a [`Authorizer`].
#[derive(Debug)]
pub(crate) struct AccessParts {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub lifecycle: Lifecycle,
    pub observers: Observers,
    pub accounts: Arc<dyn Accounts>,
    pub quotas: Arc<dyn Quotas>,
    pub default_audience: Option<Audience>,
    pub own: OperationalEvents,
    pub catalog: Catalog,
    /// The number under which this process holds leases; random.
    pub holder: u128,
}

impl Authorizer {
    pub(crate) fn new(rule: Rule, ground: AccessParts) -> Self {
        let failures = Arc::new(Failures::none());
        let one_system = matches!(rule, Rule::OneSystem);
        let (book, news) = AccountBook::new(ground.accounts, one_system, failures.clone());
        let owners = Owners::new(
            ground.store.clone(),
            ground.clock,
            (book.clone(), news),
            ground.lifecycle,
            ground.holder,
        );
        Self {
            decides: match rule {
                Rule::OneSystem => Decides::Nobody,
                Rule::AddressedOnly => Decides::Address,
                Rule::Policy(watch) => Decides::Platform(PolicyCache::new(watch, failures)),
            },
            audiences: Audiences {
                default: ground.default_audience,
                own: ground.own,
                catalog: ground.catalog,
            },
            book,
            owners: Arc::new(owners),
            usage: Arc::new(UsageBook::new(ground.store.clone(), ground.quotas)),
            rejected: RejectedCounts::new(ground.store, ground.observers),
            runs: Arc::new(Rates::new()),
            changes: Rates::new(),
        }
    }

    /// Starts the loops; they end when the engine stops.
    pub(crate) fn run(self: &Arc<Self>) {
        let (lifecycle, owners) = (&self.owners.lifecycle, &self.owners);
        lifecycle.supervise_shared("owners", owners, Owners::settle_news);
        lifecycle.supervise_shared("places", owners, Owners::place_all);
        lifecycle.supervise_shared("held", owners, Owners::ask_held);
        let (usage, stopping) = (self.usage.clone(), lifecycle.clone());
        lifecycle.supervise("recount", move || usage.clone().recount(stopping.clone()));
        lifecycle.supervise_shared("usage", self, Self::write_counts);
    }

    async fn write_counts(self: Arc<Self>) {
        while self.owners.lifecycle.is_running() {
            self.flush().await;
            self.owners.lifecycle.rest(FLUSH).await;
        }
    }

    /// Writes the counts; once more when the engine has stopped.
    pub(crate) async fn flush(&self) {
        for written in [self.usage.flush().await, self.flush_rejected().await] {
            if let Err(error) = written {
                guarded(|| tracing::warn!(%error, "could not write what owners use"));
            }
        }
    }

    async fn flush_rejected(&self) -> Result<(), StoreError> {
        let is_last = !self.owners.lifecycle.is_running();
        let now = self.owners.clock.now()?;
        self.rejected.flush(now, is_last).await
    }
}
