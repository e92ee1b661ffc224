//! A scripted platform, and a [`Authorizer`] of it.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gatepost_ids::{
    AccessLevel, Account, AccountAnswer, Accounts, AccountsError, OwnerId, Quota, Quotas, TenantId,
};
use gatepost_storage::WebhookStore;
use webhook_model::{Catalog, Specificity};

use super::{
    AccessParts, Authorizer, Decision, PolicyAnswer, PolicyError, PolicyQuestion, Rule,
    SubscriptionPolicy,
};
use crate::clock::EngineClock;
use crate::config::OperationalEvents;
use crate::lifecycle::Lifecycle;
use crate::observer::{Nobody, Observer, Observers};

/// The behaviour of the platform's code.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Manner {
    #[default]
    Now,
    /// Answers after this time.
    Later(Duration),
    /// Answers after this time with the state at the time of the question.
    LateAnswer(Duration),
    Fails,
    FailsLater,
    Hangs,
    Panics,
    PanicsLater,
    /// Its `SubscriptionPolicy` returns one answer too few.
    OneTooFew,
}

/// All other users are enabled and without a tenant; all users may watch everything except what is
/// set here.
#[derive(Debug, Default)]
pub(crate) struct Platform {
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    accounts: HashMap<OwnerId, Option<Account>>,
    may: HashMap<OwnerId, Decision>,
    manner: Manner,
    manners: HashMap<OwnerId, Manner>,
    watch_manner: Manner,
    quota: Option<Quota>,
    asked: Vec<OwnerId>,
    watched: Vec<(String, Vec<OwnerId>)>,
}

impl Platform {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn user(&self, owner: u128, tenant: impl Into<Option<u128>>) {
        self.account(owner, AccessLevel::User, tenant);
    }

    pub(crate) fn account(
        &self,
        owner: u128,
        access: AccessLevel,
        tenant: impl Into<Option<u128>>,
    ) {
        let mut account = Account::enabled(access);
        account.tenant = tenant.into().map(TenantId);
        self.with(|told| told.accounts.insert(OwnerId(owner), Some(account)));
    }

    pub(crate) fn enable(&self, owner: u128, enabled: bool) {
        self.with(|told| {
            let account = told.accounts.entry(OwnerId(owner));
            let account = account.or_insert_with(|| Some(Account::enabled(AccessLevel::User)));
            account.as_mut().unwrap().enabled = enabled;
        });
    }

    pub(crate) fn remove(&self, owner: u128) {
        self.with(|told| told.accounts.insert(OwnerId(owner), None));
    }

    pub(crate) fn may(&self, owner: u128, may: Decision) {
        self.with(|told| told.may.insert(OwnerId(owner), may));
    }

    pub(crate) fn set_manner(&self, manner: Manner) {
        self.with(|told| told.manner = manner);
    }

    /// Sets the behaviour for one user.
    pub(crate) fn set_manner_about(&self, owner: u128, manner: Manner) {
        self.with(|told| told.manners.insert(OwnerId(owner), manner));
    }

    pub(crate) fn set_watch_manner(&self, manner: Manner) {
        self.with(|told| told.watch_manner = manner);
    }

    /// `None`: its code panics.
    pub(crate) fn set_quota(&self, quota: Option<Quota>) {
        self.with(|told| told.quota = quota);
    }

    /// Returns the users it was asked about since the last call.
    pub(crate) fn asked(&self) -> Vec<OwnerId> {
        self.with(|told| std::mem::take(&mut told.asked))
    }

    /// Returns the questions to its `SubscriptionPolicy` since the last call, with their users.
    pub(crate) fn watched(&self) -> Vec<(String, Vec<OwnerId>)> {
        self.with(|told| std::mem::take(&mut told.watched))
    }

    fn with<R>(&self, look: impl FnOnce(&mut Told) -> R) -> R {
        look(&mut self.told.lock().unwrap())
    }
}

impl Accounts for Platform {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let manner = self.with(|told| {
            told.asked.push(owner);
            told.manners.get(&owner).copied().unwrap_or(told.manner)
        });
        let answer = move || {
            let enabled = || Some(Account::enabled(AccessLevel::User));
            self.with(|told| told.accounts.get(&owner).cloned().unwrap_or_else(enabled))
        };
        let down = || AccountsError("down".into());
        match manner {
            Manner::Now => AccountAnswer::Now(Ok(answer())),
            Manner::Fails => AccountAnswer::Now(Err(down())),
            Manner::Panics => panic!("on purpose"),
            Manner::LateAnswer(time) => {
                let answer = answer();
                AccountAnswer::Later(Box::pin(async move {
                    tokio::time::sleep(time).await;
                    Ok(answer)
                }))
            }
            _ => AccountAnswer::Later(Box::pin(async move {
                manner.wait().await.map_err(|()| down())?;
                Ok(answer())
            })),
        }
    }
}

impl SubscriptionPolicy for Platform {
    fn may_receive<'a>(
        &'a self,
        question: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a> {
        let manner = self.with(|told| {
            told.watched
                .push((format!("{:?}", question.target), owners.to_vec()));
            told.watch_manner
        });
        let may = move |owner: &OwnerId| {
            self.with(|told| told.may.get(owner).copied().unwrap_or(Decision::Yes))
        };
        let down = || PolicyError("down".into());
        match manner {
            Manner::Now => PolicyAnswer::each(owners, |owner| may(&owner)),
            Manner::Fails => PolicyAnswer::Now(Err(down())),
            Manner::Panics => panic!("on purpose"),
            Manner::OneTooFew => PolicyAnswer::each(&owners[1..], |owner| may(&owner)),
            _ => PolicyAnswer::later(async move {
                manner.wait().await.map_err(|()| down())?;
                Ok(owners.iter().map(may).collect())
            }),
        }
    }
}

/// The quota that was set; the default until then.
impl Quotas for Platform {
    fn quota(&self, _owner: OwnerId) -> Quota {
        self.with(|told| told.quota).expect("on purpose")
    }
}

impl Manner {
    async fn wait(self) -> Result<(), ()> {
        match self {
            Self::Later(time) | Self::LateAnswer(time) => tokio::time::sleep(time).await,
            Self::Hangs => std::future::pending().await,
            Self::PanicsLater => {
                tokio::task::yield_now().await;
                panic!("on purpose")
            }
            Self::FailsLater => {
                tokio::task::yield_now().await;
                return Err(());
            }
            Self::Now | Self::Fails | Self::Panics | Self::OneTooFew => {}
        }
        Ok(())
    }
}

/// Creates a [`Authorizer`] of a platform, whose parts do not loop until [`Authorizer::run`] is
/// called.
pub(crate) fn authorizer(
    rule: Rule,
    platform: &Arc<Platform>,
    store: Arc<dyn WebhookStore>,
    clock: Arc<EngineClock>,
) -> Arc<Authorizer> {
    platform.with(|told| {
        told.quota.get_or_insert_default();
    });
    watched_authorizer(rule, platform, store, clock, Arc::new(Nobody))
}

pub(crate) fn watched_authorizer(
    rule: Rule,
    platform: &Arc<Platform>,
    store: Arc<dyn WebhookStore>,
    clock: Arc<EngineClock>,
    observer: Arc<dyn Observer>,
) -> Arc<Authorizer> {
    let ground = AccessParts {
        store,
        clock,
        lifecycle: Lifecycle::default(),
        observers: Observers::new(observer),
        accounts: platform.clone(),
        quotas: platform.clone(),
        default_audience: None,
        own: OperationalEvents::default(),
        catalog: catalog(),
        // Each one is a separate process.
        holder: u128::from(RandomState::new().hash_one(0)),
    };
    Arc::new(Authorizer::new(rule, ground))
}

/// Users log in at any rate, and have VMs.
fn catalog() -> Catalog {
    let users = Catalog::builder().event_type(
        "users",
        "Users",
        Specificity::InstanceOptional,
        &[("login", "Logged in"), ("locked", "Locked")],
    );
    let users = users.and_then(|catalog| catalog.user_caused("users", "login"));
    let events = [("poweron", "Powered on")];
    let vms = users.unwrap();
    let vms = vms.event_type("vms", "VMs", Specificity::InstanceOrTag, &events);
    vms.unwrap().build()
}

/// Creates a [`Authorizer`] for which every user is enabled and of one system.
pub(crate) fn one_system(store: Arc<dyn WebhookStore>, clock: Arc<EngineClock>) -> Arc<Authorizer> {
    authorizer(Rule::OneSystem, &Platform::new(), store, clock)
}
