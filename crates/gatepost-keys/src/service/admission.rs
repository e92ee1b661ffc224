//! From what the record says of a key to its owner, and in.

use std::sync::Arc;

use apikey_core::{LastLogin, OwnerId, PresentedKey};
use gatepost_ids::{Account, AccountAnswer, Accounts, AccountsError};

use super::logins::Logins;
use super::lookup::Lookup;
use super::refused::Refused;
use crate::ask;
use crate::denied::Denied;
use crate::judged::{Circumstances, Judged};
use crate::principal::{Principal, Via};

/// Lets good keys of good owners in, and notes their logins.
pub(super) struct Admission {
    pub(super) accounts: Arc<dyn Accounts>,
    pub(super) logins: Logins,
}

impl Admission {
    /// Admits where nothing has to be waited for: an owner that the platform knows at once, and a
    /// digest that need not be renewed. `None` where something has.
    pub(super) fn admit_at_once(
        &self,
        keys: &Lookup,
        key: &PresentedKey<'_>,
        judged: Judged,
        at: &Circumstances<'_>,
    ) -> Option<Result<Principal, Refused>> {
        match judged.outcome {
            Ok(grant) if grant.needs_rehash => None,
            Ok(_) => {
                let answer = ask::ask(self.accounts.as_ref(), judged.owner).ok()?;
                Some(good(answer).map(|account| self.let_in(keys, key, judged, account, at)))
            }
            Err(refusal) if refusal.is_ip() => None,
            Err(refusal) => Some(Err(refusal.into())),
        }
    }

    /// Admits the owner of a key that was judged.
    pub(super) async fn admit(
        &self,
        keys: &Lookup,
        key: &PresentedKey<'_>,
        judged: Judged,
        at: &Circumstances<'_>,
    ) -> Result<Principal, Refused> {
        match judged.outcome {
            Ok(grant) => {
                let account = self.account(judged.owner).await?;
                if judged.is_cold {
                    keys.place(judged.owner, &account, at.now).await;
                }
                if grant.needs_rehash {
                    keys.rehash(key, judged.key).await;
                }
                Ok(self.let_in(keys, key, judged, account, at))
            }
            // Only a good key of a good owner learns that its address is the reason.
            Err(refusal) if refusal.is_ip() => {
                self.account(judged.owner).await?;
                Err(refusal.into())
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Everything was judged: now it is a login (SPEC 5.1 rule 6).
    fn let_in(
        &self,
        keys: &Lookup,
        key: &PresentedKey<'_>,
        judged: Judged,
        account: Account,
        at: &Circumstances<'_>,
    ) -> Principal {
        let login = LastLogin {
            at: at.now,
            from: at.addr,
        };
        if !keys.cache.note(key.lookup(), login) {
            self.logins.note(judged.key, login);
        }
        Principal::new(judged.owner, account, Via::Key(judged.key))
    }

    async fn account(&self, owner: OwnerId) -> Result<Account, Refused> {
        let answer = match ask::ask(self.accounts.as_ref(), owner) {
            Ok(answer) => answer,
            Err(later) => wait(later).await,
        };
        good(answer)
    }
}

/// What the platform's answer means for a key that is good.
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
