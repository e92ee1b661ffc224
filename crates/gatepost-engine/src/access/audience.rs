//! Decides which owners receive an occurrence, and who may watch for one.

use std::sync::Arc;

use gatepost_ids::{Audience, OwnerId, Realm};
use tokio::time::Instant;
use webhook_model::{Event, Field, Occurrence, Target};

use super::accounts::{Answer, Standing};
use super::parts::{Authorizer, Decides};
use super::rule::{Stands, is_addressed, stands};
use super::subscription_policy::{Decision, PolicyCache, Question};
use crate::error::EngineError;
use crate::guard::PATIENCE;
use crate::small_map::Few;

/// Whether an owner receives an occurrence.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Hearing {
    Yes,
    No,
    /// It is not known yet: the caller must ask again.
    Later,
}

/// An occurrence that was matched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heard<'a> {
    pub occurrence: &'a Occurrence,
    /// The occurrence's own realm.
    pub place: Realm,
}

/// The platform's answers about the accounts, as far as they are known.
struct Said {
    owners: Vec<Option<Answer>>,
    /// The answer about the addressee, if that user's tenant decides.
    addressee: Option<Answer>,
}

impl Authorizer {
    /// Returns whether each of these owners receives it; never waits. The caller must call it once
    /// for an occurrence, with all owners whose events match.
    pub(crate) fn hear(
        &self,
        heard: &Heard<'_>,
        owners: impl Iterator<Item = OwnerId>,
    ) -> Few<OwnerId, Hearing> {
        let addressee = self.addressee(heard).and_then(|to| self.account(heard, to));
        let mut hearings = Few::default();
        for owner in owners {
            hearings.get_or(owner, || {
                let answer = self.account(heard, owner);
                self.by_account(heard, owner, answer.as_ref(), addressee.as_ref())
            });
        }
        if let Some((policies, question, within)) = self.to_watch(heard, &hearings) {
            let may = policies.now(&question, &within);
            by_watch(&mut hearings, within, may);
        }
        hearings
    }

    /// As [`hear`](Self::hear), but waits for the platform, for at most five seconds.
    pub(crate) async fn hear_waiting(
        &self,
        heard: &Heard<'_>,
        owners: &[OwnerId],
    ) -> Few<OwnerId, Hearing> {
        let until = Instant::now() + PATIENCE;
        let mut said = self.said(heard, owners);
        // First answers are kept: waiting for one must not let another's expire.
        for (owner, answer) in owners.iter().zip(&mut said.owners) {
            self.wait_for(*owner, answer, until).await;
        }
        if let Some(to) = self.addressee(heard) {
            self.wait_for(to, &mut said.addressee, until).await;
        }
        let mut hearings = self.by_accounts(heard, owners, &said);
        if let Some((policies, question, within)) = self.to_watch(heard, &hearings) {
            let may = policies.wait(&question, &within, until).await;
            by_watch(&mut hearings, within, may);
        }
        hearings
    }

    /// Checks whether an owner may create this event, or change one to this.
    ///
    /// # Errors
    /// `Forbidden` in words, `Dangling` if the platform says that there is no such object,
    /// `TooFast`, `Platform`.
    pub(crate) async fn may_watch(&self, owner: OwnerId, event: &Event) -> Result<(), EngineError> {
        let Decides::Platform(policies) = &self.decides else {
            return Ok(());
        };
        if self.own().include(&event.event_type) {
            // All users may be notified of events about their own records.
            return Ok(());
        }
        // The question counts for the whole tenant, as those about its occurrences do.
        let standing = self.said_of(owner).await.ok().flatten();
        let place = standing.map_or(Realm::Solo(owner), |standing| standing.place(owner));
        let question = Question::before(event, place);
        let until = Instant::now() + PATIENCE;
        match policies.wait(&question, &[owner], until).await.first() {
            Some(Some(Decision::Yes)) => Ok(()),
            Some(Some(Decision::No)) => {
                Err(EngineError::Forbidden(refusal(event.target).to_owned()))
            }
            Some(Some(Decision::NoSuchObject)) => Err(EngineError::Dangling(Field::Owner)),
            Some(None) | None => Err(match policies.too_fast(owner) {
                Some(retry_after) => EngineError::TooFast { retry_after },
                None => {
                    let error = "it could not say whether this may be watched";
                    EngineError::Platform(error.to_owned())
                }
            }),
        }
    }

    /// Whether the account exists and is enabled. `None`: that is not known at this moment. `place`
    /// is the realm of its work.
    pub(crate) fn good_standing(&self, owner: OwnerId, place: Realm) -> Option<bool> {
        let answer = self.book.now_in(owner, place.tenant())?;
        answer.ok().map(is_good)
    }

    /// As [`good_standing`](Self::good_standing); waits for the platform.
    ///
    /// # Errors
    /// `Platform`: no answer.
    pub(crate) async fn standing(&self, owner: OwnerId, place: Realm) -> Result<bool, EngineError> {
        let answer = self.book.wait_in(owner, place.tenant()).await;
        answer
            .map(is_good)
            .map_err(|error| EngineError::Platform(error.to_string()))
    }

    /// Checks whether an owner exists and is enabled, before a manual action for that owner; waits
    /// for the platform. The question counts for the owner's tenant.
    ///
    /// # Errors
    /// `Platform`: no answer. `Store`.
    pub(crate) async fn is_enabled(&self, owner: OwnerId) -> Result<bool, EngineError> {
        self.said_of(owner).await.map(is_good)
    }

    /// Asks about all unknown accounts, so that they are waited for together.
    fn said(&self, heard: &Heard<'_>, owners: &[OwnerId]) -> Said {
        let now = |owner| self.account(heard, owner);
        Said {
            owners: owners.iter().map(|owner| now(*owner)).collect(),
            addressee: self.addressee(heard).and_then(now),
        }
    }

    /// Returns the known answer about an account, after asking if there is none.
    fn account(&self, heard: &Heard<'_>, owner: OwnerId) -> Option<Answer> {
        self.book.now_in(owner, heard.place.tenant())
    }

    async fn wait_for(&self, owner: OwnerId, answer: &mut Option<Answer>, until: Instant) {
        if answer.is_none() {
            let landed = tokio::time::timeout_at(until, self.book.landed(owner)).await;
            *answer = landed.unwrap_or_else(|_| self.book.known(owner));
        }
    }

    /// The user who is the audience, if that user's tenant decides.
    fn addressee(&self, heard: &Heard<'_>) -> Option<OwnerId> {
        match heard.occurrence.audience {
            Audience::Owner(to) if self.goes_by_address(heard) => Some(to),
            _ => None,
        }
    }

    /// Whether only the address decides.
    fn goes_by_address(&self, heard: &Heard<'_>) -> bool {
        matches!(self.decides, Decides::Address) || self.is_own(heard)
    }

    /// Whether it is about a user's own webhook or key.
    fn is_own(&self, heard: &Heard<'_>) -> bool {
        self.own().include(&heard.occurrence.event_type)
    }

    fn by_accounts(
        &self,
        heard: &Heard<'_>,
        owners: &[OwnerId],
        said: &Said,
    ) -> Few<OwnerId, Hearing> {
        let addressee = said.addressee.as_ref();
        let mut hearings = Few::default();
        for (owner, answer) in owners.iter().zip(&said.owners) {
            let hearing = self.by_account(heard, *owner, answer.as_ref(), addressee);
            hearings.insert(*owner, hearing);
        }
        hearings
    }

    /// Decides by the owner's account, and by the address if that counts.
    fn by_account(
        &self,
        heard: &Heard<'_>,
        owner: OwnerId,
        answer: Option<&Answer>,
        addressee: Option<&Answer>,
    ) -> Hearing {
        let Some(Ok(standing)) = answer else {
            return Hearing::Later;
        };
        let audience = heard.occurrence.audience;
        // On a platform that is one system there is only one realm.
        let within = match self.decides {
            Decides::Nobody => Audience::OneSystem,
            _ => audience,
        };
        match (stands(owner, *standing, heard.place, within), standing) {
            (Stands::Within, Some(_)) if !self.goes_by_address(heard) => Hearing::Yes,
            (Stands::Within, Some(standing)) => by_address(audience, owner, standing, addressee),
            (Stands::Moving, _) => {
                self.book.tell(owner);
                Hearing::Later
            }
            (Stands::Outside | Stands::Within, _) => {
                self.book.tell(owner);
                Hearing::No
            }
        }
    }

    /// The question for the platform's `SubscriptionPolicy`, and the owners that it decides about.
    fn to_watch(
        &self,
        heard: &Heard<'_>,
        hearings: &Few<OwnerId, Hearing>,
    ) -> Option<(&Arc<PolicyCache>, Question, Vec<OwnerId>)> {
        let Decides::Platform(policies) = &self.decides else {
            return None;
        };
        if self.is_own(heard) {
            return None;
        }
        let within = hearings.iter();
        let within = within.filter(|(_, hearing)| **hearing == Hearing::Yes);
        let mut within: Vec<_> = within.map(|(owner, _)| owner).collect();
        within.sort_unstable();
        let question = || Question::of(heard.occurrence, heard.place);
        (!within.is_empty()).then(|| (policies, question(), within))
    }
}

/// Decides by the address.
fn by_address(
    audience: Audience,
    owner: OwnerId,
    standing: &Standing,
    addressee: Option<&Answer>,
) -> Hearing {
    let tenant =
        addressee.map(|answer| answer.as_ref().map(|to| to.and_then(Standing::subject_of)));
    let is_addressed = |tenant| is_addressed(audience, owner, standing, tenant);
    match (tenant, audience) {
        (Some(Ok(tenant)), _) if is_addressed(tenant) => Hearing::Yes,
        _ if is_addressed(None) => Hearing::Yes,
        // Only an administrator of the unknown tenant could still receive it.
        (Some(Err(_)) | None, Audience::Owner(_)) if standing.administers() => Hearing::Later,
        _ => Hearing::No,
    }
}

/// Applies the answers of the `SubscriptionPolicy` to the owners that are still a yes.
fn by_watch(
    hearings: &mut Few<OwnerId, Hearing>,
    within: Vec<OwnerId>,
    may: Vec<Option<Decision>>,
) {
    for (owner, may) in within.into_iter().zip(may) {
        let hearing = match may {
            Some(Decision::Yes) => Hearing::Yes,
            Some(Decision::No | Decision::NoSuchObject) => Hearing::No,
            None => Hearing::Later,
        };
        hearings.insert(owner, hearing);
    }
}

fn is_good(standing: Option<Standing>) -> bool {
    standing.is_some_and(|standing| standing.enabled)
}

/// The reason why an event is refused, in words for the user.
fn refusal(target: Target) -> &'static str {
    match target {
        Target::Instance(_) => "You may not watch this object",
        Target::Tag(_) => "You may not watch what carries this tag",
        Target::Generic => "You may not watch this type of events",
    }
}
