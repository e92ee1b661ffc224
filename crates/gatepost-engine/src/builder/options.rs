//! The builder's options.

use std::sync::Arc;

use chrono::Utc;
use delivery::{Schedule, Sender};
use gatepost_ids::{Accounts, Audience, Quota, Quotas};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{Clock, SystemClock};
use webhook_model::{Catalog, Zone};

use crate::access::{Rule, SubscriptionPolicy};
use crate::config::{DisablePolicy, Limits, OperationalEvents, Retention, RetryScheduleLimits};
use crate::observer::{Nobody, Observer};
use crate::random::Random;
use crate::trace::{TraceHeaders, Tracer};
use crate::transport::Transport;

/// Sets up an [`Engine`](crate::Engine).
#[derive(Debug)]
pub struct EngineBuilder {
    pub(super) store: Arc<dyn WebhookStore>,
    pub(super) transport: Arc<dyn Transport>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) catalog: Catalog,
    pub(super) zone: Arc<dyn Zone>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) random: Arc<Random>,
    pub(super) limits: Limits,
    pub(super) retention: Retention,
    pub(super) schedule: Schedule,
    pub(super) retry_schedules: RetryScheduleLimits,
    pub(super) disable: DisablePolicy,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) own: OperationalEvents,
    /// Must hold exactly one, or the engine does not start.
    pub(super) rules: Vec<(Rule, Arc<dyn Accounts>)>,
    pub(super) quotas: Arc<dyn Quotas>,
    pub(super) default_audience: Option<Audience>,
    pub(super) tracer: Option<Arc<dyn Tracer>>,
    pub(super) trace_headers: TraceHeaders,
}

impl EngineBuilder {
    pub(super) fn new(store: Arc<dyn WebhookStore>, sender: Sender) -> Self {
        Self {
            store,
            transport: Arc::new(sender),
            clock: Arc::new(SystemClock),
            catalog: Catalog::default(),
            zone: Arc::new(Utc),
            variables: Vec::new(),
            random: Arc::new(Random::from_system()),
            limits: Limits::default(),
            retention: Retention::default(),
            schedule: Schedule::default(),
            retry_schedules: RetryScheduleLimits::default(),
            disable: DisablePolicy::default(),
            observer: Arc::new(Nobody),
            own: OperationalEvents::default(),
            rules: Vec::new(),
            quotas: Arc::new(Quota::default()),
            default_audience: None,
            tracer: None,
            trace_headers: TraceHeaders::default(),
        }
    }

    /// All users are one system: everybody receives everything that their events match, as SPEC
    /// describes it. An account that names a tenant is then an error.
    ///
    /// Exactly one of this, [`addressed_only`](Self::addressed_only) and
    /// [`subscription_policy`](Self::subscription_policy) must be called: there is no default.
    #[must_use]
    pub fn one_system(self, accounts: Arc<dyn Accounts>) -> Self {
        self.rule(Rule::OneSystem, accounts)
    }

    /// The platform has tenants, and the audience of an occurrence decides: occurrences for a user
    /// are received by that user and the administrators of the same tenant, those for a tenant by
    /// its administrators, and all of them by system administrators.
    #[must_use]
    pub fn addressed_only(self, accounts: Arc<dyn Accounts>) -> Self {
        self.rule(Rule::AddressedOnly, accounts)
    }

    /// The platform has tenants, and decides who within an occurrence's tenant receives it.
    #[must_use]
    pub fn subscription_policy(
        self,
        accounts: Arc<dyn Accounts>,
        policy: Arc<dyn SubscriptionPolicy>,
    ) -> Self {
        self.rule(Rule::Policy(policy), accounts)
    }

    fn rule(mut self, rule: Rule, accounts: Arc<dyn Accounts>) -> Self {
        self.rules.push((rule, accounts));
        self
    }

    /// Sets how much each owner may have and do; [`Quota::default`] for everybody by default.
    #[must_use]
    pub fn quotas(mut self, quotas: Arc<dyn Quotas>) -> Self {
        self.quotas = quotas;
        self
    }

    /// Sets the audience of outbox rows that name none. Without it such a row is set aside on a
    /// platform that is not one system.
    #[must_use]
    pub fn default_audience(mut self, audience: Audience) -> Self {
        self.default_audience = Some(audience);
        self
    }

    /// Sets a clock other than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the types and events that the platform offers; none by default.
    #[must_use]
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.catalog = catalog;
        self
    }

    /// Sets the time zone of `${DATE}`, such as one of `chrono-tz`; UTC by default.
    #[must_use]
    pub fn zone(mut self, zone: impl Zone + 'static) -> Self {
        self.zone = Arc::new(zone);
        self
    }

    /// Adds a variable that every message may use, such as the name of the site: every user can
    /// read its value. An occurrence's own variable of that name takes precedence.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Makes the random numbers repeatable; for tests.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.random = Arc::new(Random::seeded(seed));
        self
    }

    /// Sets how much the engine does at a time.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how long records are kept.
    #[must_use]
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Sets the delays between attempts.
    #[must_use]
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// Sets the limits for retry schedules of single webhooks.
    #[must_use]
    pub fn retry_schedules(mut self, limits: RetryScheduleLimits) -> Self {
        self.retry_schedules = limits;
        self
    }

    /// Sets when the engine disables a webhook automatically; never by default.
    #[must_use]
    pub fn disable(mut self, policy: DisablePolicy) -> Self {
        self.disable = policy;
        self
    }

    /// Sets the receiver of notices; none by default.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Sets the source of the traces of the platform's spans: an occurrence that names no trace
    /// joins the one in which it is emitted, and attempts are spans of it. None by default: then
    /// only an occurrence that names a trace ([`Occurrence`](webhook_model::Occurrence::traced))
    /// continues one.
    #[must_use]
    pub fn tracer(mut self, tracer: Arc<dyn Tracer>) -> Self {
        self.tracer = Some(tracer);
        self
    }

    /// Sends requests without `traceparent` and `tracestate`, so that no target knows which of the
    /// platform's requests made a message, or which messages one request made. By default
    /// requests carry both if there is a trace and the webhook has no header of either name. Owners
    /// of webhooks see the trace's id with a delivery either way.
    #[must_use]
    pub fn withhold_traces(mut self) -> Self {
        self.trace_headers = TraceHeaders::Withheld;
        self
    }

    /// Sets the events about their own webhooks and keys that users are offered. Their types are
    /// added to the catalog. None by default: a platform may have its own types of these names, and
    /// events that are not offered cost nothing.
    #[must_use]
    pub fn operational_events(mut self, own: OperationalEvents) -> Self {
        self.own = own;
        self
    }
}
