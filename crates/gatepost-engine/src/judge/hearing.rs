//! Which owners receive an occurrence, and who may watch for one.

use std::sync::Arc;

use gatepost_ids::{Audience, OwnerId, Place, TenantId};
use webhook_model::{Event, Field, Occurrence, Target};

use super::accounts::Standing;
use super::rule::{Stands, is_addressed, stands};
use super::watch::{May, Question, Watches};
use super::{Decides, Judge};
use crate::error::EngineError;

/// Whether an owner receives an occurrence.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Hearing {
    Yes,
    No,
    /// It is not known yet: to be asked again.
    Later,
}

/// An occurrence that was matched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heard<'a> {
    pub occurrence: &'a Occurrence,
    /// The occurrence's own.
    pub place: Place,
}

impl Judge {
    /// Whether each of these owners receives it; never waits. To be called once for an occurrence,
    /// with all owners whose events match.
    pub(crate) fn hear(&self, heard: &Heard<'_>, owners: &[OwnerId]) -> Vec<Hearing> {
        for owner in self.asked_about(heard, owners) {
            self.book.now(owner);
        }
        self.decide(heard, owners, |watches, question, within| {
            watches.now(question, within)
        })
    }

    /// As [`hear`](Self::hear), but waits for the platform, for at most five seconds for accounts
    /// and as long again for its `Watch`.
    pub(crate) async fn hear_waiting(&self, heard: &Heard<'_>, owners: &[OwnerId]) -> Vec<Hearing> {
        let asked_about = self.asked_about(heard, owners);
        for owner in &asked_about {
            self.book.now(*owner);
        }
        for owner in &asked_about {
            self.book.landed(*owner).await;
        }
        if let Decides::Platform(watches) = &self.decides {
            let within = self.within(heard, owners);
            if !within.is_empty() {
                let question = Question::of(heard.occurrence, heard.place);
                watches.wait(&question, &within).await;
            }
        }
        self.decide(heard, owners, |watches, question, within| {
            watches.kept(question, within)
        })
    }

    /// Whether an owner may make this event, or change one to this.
    ///
    /// # Errors
    /// `Forbidden` in words, `Dangling` where the platform says that there is no such object,
    /// `Platform`.
    pub(crate) async fn may_watch(&self, owner: OwnerId, event: &Event) -> Result<(), EngineError> {
        let Decides::Platform(watches) = &self.decides else {
            return Ok(());
        };
        let question = Question::before(event, Place::Alone(owner));
        match watches.wait(&question, &[owner]).await.first() {
            Some(Some(May::Yes)) => Ok(()),
            Some(Some(May::No)) => Err(EngineError::Forbidden(refusal(event.target).to_owned())),
            Some(Some(May::NoSuchObject)) => Err(EngineError::Dangling(Field::Owner)),
            Some(None) | None => {
                let error = "it could not say whether this may be watched";
                Err(EngineError::Platform(error.to_owned()))
            }
        }
    }

    /// Whether the account is there and enabled. `None`: that is not known at this moment.
    pub(crate) fn good_standing(&self, owner: OwnerId) -> Option<bool> {
        let answer = self.book.now(owner)?;
        answer.ok().map(is_good)
    }

    /// As [`good_standing`](Self::good_standing); waits for the platform.
    ///
    /// # Errors
    /// `Platform`: no answer.
    pub(crate) async fn standing(&self, owner: OwnerId) -> Result<bool, EngineError> {
        let answer = self.book.wait(owner).await;
        answer
            .map(is_good)
            .map_err(|error| EngineError::Platform(error.to_string()))
    }

    /// About whom the platform is asked: a user whose tenant decides, too.
    fn asked_about(&self, heard: &Heard<'_>, owners: &[OwnerId]) -> Vec<OwnerId> {
        let mut asked_about = owners.to_vec();
        if let (Decides::Address, Audience::Owner(to)) = (&self.decides, heard.occurrence.audience)
            && !owners.contains(&to)
        {
            asked_about.push(to);
        }
        asked_about
    }

    fn decide(
        &self,
        heard: &Heard<'_>,
        owners: &[OwnerId],
        ask: impl FnOnce(&Arc<Watches>, &Question, &[OwnerId]) -> Vec<Option<May>>,
    ) -> Vec<Hearing> {
        let mut hearings: Vec<_> = owners
            .iter()
            .map(|owner| self.by_account(heard, *owner))
            .collect();
        let Decides::Platform(watches) = &self.decides else {
            return hearings;
        };
        let within: Vec<_> = owners
            .iter()
            .zip(&hearings)
            .filter_map(|(owner, hearing)| (*hearing == Hearing::Yes).then_some(*owner))
            .collect();
        if within.is_empty() {
            return hearings;
        }
        let may = ask(
            watches,
            &Question::of(heard.occurrence, heard.place),
            &within,
        );
        let within = hearings
            .iter_mut()
            .filter(|hearing| **hearing == Hearing::Yes);
        for (hearing, may) in within.zip(may) {
            *hearing = match may {
                Some(May::Yes) => Hearing::Yes,
                Some(May::No | May::NoSuchObject) => Hearing::No,
                None => Hearing::Later,
            };
        }
        hearings
    }

    /// Those about whom the platform's `Watch` is to be asked.
    fn within(&self, heard: &Heard<'_>, owners: &[OwnerId]) -> Vec<OwnerId> {
        let is_within = |owner: &&OwnerId| self.by_account(heard, **owner) == Hearing::Yes;
        owners.iter().filter(is_within).copied().collect()
    }

    /// What the owner's account says, and the address where that decides.
    fn by_account(&self, heard: &Heard<'_>, owner: OwnerId) -> Hearing {
        let Some(Ok(standing)) = self.book.known(owner) else {
            return Hearing::Later;
        };
        let audience = heard.occurrence.audience;
        match (stands(owner, standing, heard.place, audience), standing) {
            (Stands::Within, Some(standing)) => self.by_address(audience, owner, &standing),
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

    fn by_address(&self, audience: Audience, owner: OwnerId, standing: &Standing) -> Hearing {
        let Decides::Address = self.decides else {
            return Hearing::Yes;
        };
        let addressee = match audience {
            Audience::Owner(to) if to != owner => match self.book.known(to) {
                Some(Ok(addressee)) => tenant_of(addressee),
                Some(Err(_)) | None => return Hearing::Later,
            },
            _ => None,
        };
        if is_addressed(audience, owner, standing, addressee) {
            Hearing::Yes
        } else {
            Hearing::No
        }
    }
}

fn is_good(standing: Option<Standing>) -> bool {
    standing.is_some_and(|standing| standing.enabled)
}

fn tenant_of(standing: Option<Standing>) -> Option<TenantId> {
    standing?.tenant
}

/// Why an event is refused, in words for the user.
fn refusal(target: Target) -> &'static str {
    match target {
        Target::Instance(_) => "You may not watch this object",
        Target::Tag(_) => "You may not watch what carries this tag",
        Target::Generic => "You may not watch this type of events",
    }
}
