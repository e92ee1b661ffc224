//! From what the record says of a key to its owner, and in.

use std::sync::Arc;

use apikey_core::{LastLogin, OwnerId, PresentedKey};
use gatepost_ids::{Account, AccountAnswer, Accounts, AccountsError};

use super::lookup::Lookup;
use super::refusals::Refusals;
use super::refused::Refused;
use super::waiting::Waiting;
use crate::ask;
use crate::circumstances::Circumstances;
use crate::denied::Denied;
use crate::judged::Judged;
use crate::noted::Outcome;
use crate::principal::{Principal, Via};

/// Lets good keys of good owners in, and notes what came of those whose secret was right.
pub(super) struct Admission {
    pub(super) accounts: Arc<dyn Accounts>,
    pub(super) waiting: Waiting,
    pub(super) refusals: Refusals,
}

impl Admission {
    /// Admits where nothing has to be waited for: an owner that the platform knows at once, and a
    /// digest that need not be renewed. `None` where something has.
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

    /// Admits the owner of a key that was judged.
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

    /// The account by which a key is let in.
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
            // Only a good key of a good owner learns that its address is the reason.
            Err(refusal) if refusal.is_ip() => {
                self.account(owner).await?;
                Err(refusal.into())
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Everything was judged: now it is a login (SPEC 5.1 rule 6), if it is not one too many.
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

    /// Counts a use that was refused, where the secret was right and somebody judged it: a wrong
    /// secret says nothing of the key, for anybody can present one, nor does a platform that could
    /// not be asked.
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
        ask::ask(self.accounts.as_ref(), owner)
    }

    async fn account(&self, owner: OwnerId) -> Result<Account, Refused> {
        let answer = match self.ask(owner) {
            AccountAnswer::Now(answer) => answer,
            later => wait(later).await,
        };
        good(answer)
    }
}

/// What the platform's answer means for a key that is good.
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

/// Kept apart, so that the path that need not wait holds no future of the platform's.
async fn wait(later: AccountAnswer<'_>) -> Result<Option<Account>, AccountsError> {
    ask::wait(later).await
}
