//! The step from a checked key to its owner and the decision.

use std::sync::Arc;

use apikey_core::{LastLogin, OwnerId, PresentedKey};
use gatepost_ids::{Account, AccountAnswer, Accounts, AccountsError};

use super::lookup::Lookup;
use super::pending_uses::Waiting;
use super::refusals::Refusals;
use super::refused_request::Refused;
use crate::denial::Denied;
use crate::key_decision::Judged;
use crate::platform_calls;
use crate::principal::{Principal, Via};
use crate::request_context::Circumstances;
use crate::use_notes::Outcome;

/// Admits valid keys of enabled owners, and notes the uses of keys with the right secret.
pub(super) struct Admission {
    pub(super) accounts: Arc<dyn Accounts>,
    pub(super) waiting: Waiting,
    pub(super) refusals: Refusals,
}

impl Admission {
    /// Admits without waiting: the platform knows the owner immediately, and the digest need not be
    /// renewed. Returns `None` if something must be awaited.
    #[inline]
    pub(super) fn admit_at_once(
        &self,
        keys: &Lookup,
        judged: Judged<'_>,
        at: &Circumstances<'_>,
    ) -> Option<Result<Principal, Refused>> {
        match judged.outcome {
            Ok(accepted) if accepted.needs_rehash => None,
            Ok(_) => {
                let AccountAnswer::Now(answer) = self.ask(judged.entry.owner) else {
                    return None;
                };
                Some(match good(answer) {
                    Ok(account) => self.let_in(keys, judged, account, at),
                    Err(refused) => Err(self.turn_away(judged, refused, at)),
                })
            }
            Err(refusal) if refusal.is_ip() => None,
            Err(refusal) => Some(Err(self.turn_away(judged, refusal.into(), at))),
        }
    }

    /// Admits the owner of a checked key.
    pub(super) async fn admit(
        &self,
        keys: &Lookup,
        key: &PresentedKey<'_>,
        judged: Judged<'_>,
        at: &Circumstances<'_>,
    ) -> Result<Principal, Refused> {
        match self.judge_owner(keys, key, judged, at).await {
            Ok(account) => self.let_in(keys, judged, account, at),
            Err(refused) => Err(self.turn_away(judged, refused, at)),
        }
    }

    /// Returns the account for which a key is admitted.
    async fn judge_owner(
        &self,
        keys: &Lookup,
        key: &PresentedKey<'_>,
        judged: Judged<'_>,
        at: &Circumstances<'_>,
    ) -> Result<Account, Refused> {
        let owner = judged.entry.owner;
        match judged.outcome {
            Ok(accepted) => {
                let account = self.account(owner).await?;
                if judged.is_cold {
                    keys.place(owner, &account, at.now).await;
                }
                if accepted.needs_rehash {
                    keys.rehash(key, judged.entry.key).await;
                }
                Ok(account)
            }
            // Only a valid key of an enabled owner receives the address as the reason.
            Err(refusal) if refusal.is_ip() => {
                self.account(owner).await?;
                Err(refusal.into())
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Completes an authentication as a login (SPEC 5.1 rule 6), unless it exceeds a limit.
    #[inline]
    fn let_in(
        &self,
        keys: &Lookup,
        judged: Judged<'_>,
        account: Account,
        at: &Circumstances<'_>,
    ) -> Result<Principal, Refused> {
        let entry = judged.entry;
        let rate = match &entry.meter {
            Some(meter) => {
                let drawn = meter.draw(keys.throttle.now());
                Some(drawn.map_err(|over| self.turn_away(judged, Refused::throttled(over), at))?)
            }
            None => None,
        };
        let login = LastLogin {
            at: at.now,
            from: at.addr,
        };
        self.note(judged, Outcome::LoggedIn(login));
        let principal = Principal::new(entry.owner, account, Via::Key(entry.key));
        Ok(principal.with_grant(entry.grant.clone()).with_rate(rate))
    }

    /// Counts a refused use, if the secret was right and the request was decided. A wrong secret is
    /// not counted, because anybody can present one; nor is a request for which the platform was
    /// unavailable.
    fn turn_away(&self, judged: Judged<'_>, refused: Refused, at: &Circumstances<'_>) -> Refused {
        if !judged.is_wrong_secret() && refused.denied != Denied::Unavailable {
            self.note(judged, Outcome::Refused(at.now));
        }
        if refused.denied == Denied::Address {
            self.refusals.note(judged.entry.key, at.addr);
        }
        refused
    }

    #[inline]
    fn note(&self, judged: Judged<'_>, outcome: Outcome) {
        if judged.is_cold {
            self.waiting.note_cold(judged.entry.key, outcome);
        } else {
            self.waiting.note(judged.entry, outcome);
        }
    }

    #[inline]
    fn ask(&self, owner: OwnerId) -> AccountAnswer<'_> {
        platform_calls::ask(self.accounts.as_ref(), owner)
    }

    async fn account(&self, owner: OwnerId) -> Result<Account, Refused> {
        let answer = match self.ask(owner) {
            AccountAnswer::Now(answer) => answer,
            later => wait(later).await,
        };
        good(answer)
    }
}

/// Converts the platform's answer for a valid key.
#[inline]
fn good(answer: Result<Option<Account>, AccountsError>) -> Result<Account, Refused> {
    match answer {
        Ok(Some(account)) if account.enabled => Ok(account),
        Ok(Some(_)) => Err(Refused::unauthenticated("owner_disabled")),
        Ok(None) => Err(Refused::unauthenticated("owner_unknown")),
        Err(error) => {
            tracing::error!(%error, "accounts cannot be asked");
            Err(Refused {
                denied: Denied::Unavailable,
                reason: "accounts_unavailable",
            })
        }
    }
}

/// A separate function, so that the path without waiting holds no future of the platform.
async fn wait(later: AccountAnswer<'_>) -> Result<Option<Account>, AccountsError> {
    platform_calls::wait(later).await
}
