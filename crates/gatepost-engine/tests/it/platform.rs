//! A platform with tenants, whose code misbehaves on command.

use std::sync::{Arc, Mutex};

use gatepost_engine::{
    AccessLevel, Account, AccountAnswer, Accounts, Audience, EngineBuilder, PolicyAnswer,
    PolicyError, PolicyQuestion, Quota, SubscriptionPolicy,
};
use gatepost_ids::TenantId;
use gatepost_storage::webhooks::WebhookStore;
use webhook_model::{Object, ObjectId, Occurrence, OwnerId};

use crate::support::{poweron, unruled};

/// Users of tenant `n` have the numbers from `100 n` on; all may watch all objects of their tenant.
#[derive(Debug, Default)]
pub(crate) struct Tenants {
    mood: Mutex<Mood>,
}

/// The answers of its `SubscriptionPolicy` about occurrences on objects from 1,000 on.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Mood {
    #[default]
    Says,
    Fails,
    Hangs,
    Panics,
}

pub(crate) fn tenant_of(owner: OwnerId) -> TenantId {
    TenantId(owner.0 / 100)
}

impl Tenants {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn set_mood(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }
}

impl Accounts for Tenants {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let account = Account::enabled(AccessLevel::User).in_tenant(tenant_of(owner));
        AccountAnswer::Now(Ok(Some(account)))
    }
}

impl SubscriptionPolicy for Tenants {
    fn may_receive<'a>(
        &'a self,
        question: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a> {
        let mood = *self.mood.lock().unwrap();
        let is_moody = match question.target {
            webhook_model::Target::Instance(id) => id.as_number() >= Some(1_000),
            _ => false,
        };
        match mood {
            Mood::Fails if is_moody => PolicyAnswer::Now(Err(PolicyError("down".into()))),
            Mood::Hangs if is_moody => PolicyAnswer::later(std::future::pending()),
            Mood::Panics if is_moody => panic!("the platform's code panics"),
            _ => PolicyAnswer::each(owners, |_| true),
        }
    }
}

/// Returns the builder of an engine of this platform, whose `SubscriptionPolicy` decides.
pub(crate) fn of_tenants(store: Arc<dyn WebhookStore>, tenants: &Arc<Tenants>) -> EngineBuilder {
    unruled(store)
        .subscription_policy(tenants.clone(), tenants.clone())
        .quotas(Arc::new(Quota::UNLIMITED))
}

/// Returns an occurrence on an object of a tenant.
pub(crate) fn in_tenant(tenant: u128, id: i64, tags: &[i64]) -> Occurrence {
    poweron(id, tags)
        .with_audience(Audience::Tenant(TenantId(tenant)))
        .with_object(Object::new(ObjectId::from_number(id), format!("vm {id}")))
}
