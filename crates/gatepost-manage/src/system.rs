//! Operations without an owner: the catalog, variables, the queue, and logins.

use gatepost_engine::Health;
use gatepost_keys::{Account, AccountAnswer, AccountsError, OwnerId, Principal, Via};
use webhook_model::Catalog;

use crate::actor::Actor;
use crate::completion::{Answer, ask, contain};
use crate::error::ManageError;
use crate::management::Management;

impl Management {
    /// Returns a user that the platform has logged in, with the current permissions; `None` if the
    /// user does not exist or is disabled.
    ///
    /// # Errors
    /// [`ManageError::Accounts`] if the platform's accounts fail, panic, or take longer than five
    /// seconds.
    pub fn log_in(&self, owner: OwnerId, via: Via) -> Answer<'_, Option<Principal>> {
        contain(async move {
            let account = self.account(owner).await?;
            let account = account.filter(|account| account.enabled);
            Ok(account.map(|account| Principal::new(owner, account, via)))
        })
    }

    /// Returns a user's account from the platform; `None` if the user does not exist.
    pub(crate) async fn account(&self, owner: OwnerId) -> Result<Option<Account>, ManageError> {
        let answer = ask(async {
            match self.keys.accounts().account(owner) {
                AccountAnswer::Now(answer) => answer,
                AccountAnswer::Later(answer) => answer.await,
            }
        });
        let answer = answer.await.unwrap_or_else(|| {
            Err(AccountsError(
                "the platform's code panicked or hangs".into(),
            ))
        });
        Ok(answer?)
    }

    /// Waits for other code of the platform, such as its login. Returns `None` if it panics or
    /// takes longer than five seconds.
    pub async fn ask_platform<T>(&self, answer: impl Future<Output = T> + Send) -> Option<T> {
        ask(answer).await
    }
}

impl Management {
    /// Returns the event types and events of the catalog, for a document that describes them.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        self.engine.catalog()
    }
}

impl Actor {
    /// Returns the event types and events of the catalog.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        self.engine().catalog()
    }

    /// Returns the variables that the platform added to every message, with their values.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.engine().variables()
    }

    /// Returns the health of the engine; `None` for callers who may not see the whole system.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn health(&self) -> Answer<'_, Option<Health>> {
        contain(async move {
            Ok(match self.sees_all() {
                true => Some(self.engine().health().await?),
                false => None,
            })
        })
    }
}
