//! Header → key → record → owner → principal.

use std::net::IpAddr;

use apikey_core::bearer::{self, BearerError};
use apikey_core::{KeyId, LastLogin, OwnerId, PresentedKey, decide, reject_unknown};
use gatepost_ids::{Account, AccountAnswer, AccountsError};

use super::{Inner, KeyService};
use crate::ask;
use crate::cache::{Check, Hit};
use crate::denied::Denied;
use crate::principal::{Principal, Via};

/// A decision, and for the log why it was not to let the caller in.
type Decision = Result<Principal, (Denied, &'static str)>;

impl KeyService {
    /// Authenticates a request by its `Authorization` headers (SPEC 5.1).
    ///
    /// In this order: the header is parsed, the record found, the digest compared, the owner asked
    /// for, expiry and address judged, the login noted. A key that is in memory and a host that
    /// answers at once cost no allocation and no wait.
    ///
    /// # Errors
    /// [`Denied`]: the outward answer. The true reason is logged at debug level and counted in
    /// `gatepost_auth_total{outcome}`.
    pub async fn authenticate<'a>(
        &self,
        authorization: impl IntoIterator<Item = &'a [u8]>,
        addr: IpAddr,
    ) -> Result<Principal, Denied> {
        let token = match bearer::token_of(authorization) {
            Ok(token) => token,
            // Who presents nothing does not guess.
            Err(BearerError::Missing) => {
                metrics::counter!("gatepost_auth_total", "outcome" => "missing").increment(1);
                return Err(Denied::Unauthenticated);
            }
            Err(error) => {
                tracing::debug!(%error, "authorization header");
                return self
                    .inner
                    .report(Err((Denied::Unauthenticated, "bad_header")), addr);
            }
        };
        // Keys of an older system have another form; their lookup id is made from the whole token.
        let Ok(key) = PresentedKey::parse(token).or_else(|_| PresentedKey::imported(token)) else {
            return self
                .inner
                .report(Err((Denied::Unauthenticated, "malformed")), addr);
        };
        let decision = match self.inner.decide_at_once(&key, addr) {
            Some(decision) => decision,
            // Boxed, so that the way that need not wait carries no large future along.
            None => Box::pin(self.inner.decide(&key, addr)).await,
        };
        self.inner.report(decision, addr)
    }
}

impl Inner {
    fn report(&self, decision: Decision, addr: IpAddr) -> Result<Principal, Denied> {
        let (denied, reason) = match decision {
            Ok(principal) => {
                self.granted.increment(1);
                return Ok(principal);
            }
            Err(refused) => refused,
        };
        metrics::counter!("gatepost_auth_total", "outcome" => reason).increment(1);
        tracing::debug!(%addr, reason, "not authenticated");
        if denied == Denied::Unauthenticated && self.guesses.failed(addr) {
            return Err(Denied::TooManyFailures);
        }
        Err(denied)
    }

    /// Decides what needs no wait: a key that is in memory, of an owner whom the host knows at
    /// once.
    fn decide_at_once(&self, key: &PresentedKey<'_>, addr: IpAddr) -> Option<Decision> {
        if !self.cache.is_current(self.store.as_ref()) {
            return None;
        }
        let check = Check {
            addr,
            now: self.clock.now(),
            peppers: &self.peppers,
        };
        let hit = self.cache.check(key, &check)?;
        match hit.outcome {
            Ok(grant) if grant.needs_rehash => None,
            Ok(_) => {
                let answer = ask::ask(self.accounts.as_ref(), hit.owner).ok()?;
                Some(admitted(answer).map(|account| self.let_in(key, hit, account, &check)))
            }
            Err(refusal) if refusal.is_ip() => None,
            Err(refusal) => Some(Err((Denied::Unauthenticated, refusal.as_str()))),
        }
    }

    async fn decide(&self, key: &PresentedKey<'_>, addr: IpAddr) -> Decision {
        let check = Check {
            addr,
            now: self.clock.now(),
            peppers: &self.peppers,
        };
        if self.cache.is_current(self.store.as_ref())
            && let Some(hit) = self.cache.check(key, &check)
        {
            return self.conclude(key, hit, &check).await;
        }
        self.decide_from_store(key, &check).await
    }

    async fn decide_from_store(&self, key: &PresentedKey<'_>, check: &Check<'_>) -> Decision {
        let cached = self
            .cache
            .sync(self.store.as_ref())
            .await
            .map_err(|error| unavailable(&error))?;
        if cached && let Some(hit) = self.cache.check(key, check) {
            return self.conclude(key, hit, check).await;
        }
        let epoch = self.cache.epoch();
        let Some(row) = self
            .store
            .key_by_lookup(key.lookup())
            .await
            .map_err(|error| unavailable(&error))?
        else {
            return Err((
                Denied::Unauthenticated,
                reject_unknown(key, &self.peppers).as_str(),
            ));
        };
        if cached {
            self.cache.insert(&row, epoch);
            if let Some(hit) = self.cache.check(key, check) {
                return self.conclude(key, hit, check).await;
            }
        }
        // Without the cache the record that was just read decides.
        let outcome = decide(
            &row.key.checker(),
            key,
            check.addr,
            check.now,
            check.peppers,
        );
        self.conclude(
            key,
            Hit {
                key: row.id,
                owner: row.key.owner,
                outcome,
            },
            check,
        )
        .await
    }

    /// The key is judged; now its owner is.
    async fn conclude(&self, key: &PresentedKey<'_>, hit: Hit, check: &Check<'_>) -> Decision {
        match hit.outcome {
            Ok(grant) => {
                let account = self.account(hit.owner).await?;
                if grant.needs_rehash {
                    self.rehash(key, hit.key).await;
                }
                Ok(self.let_in(key, hit, account, check))
            }
            // Only a good key of a good owner hears that its address is the reason.
            Err(refusal) if refusal.is_ip() => {
                self.account(hit.owner).await?;
                Err((Denied::Address, refusal.as_str()))
            }
            Err(refusal) => Err((Denied::Unauthenticated, refusal.as_str())),
        }
    }

    /// Everything was judged: now it is a login (SPEC 5.1 rule 6).
    fn let_in(
        &self,
        key: &PresentedKey<'_>,
        hit: Hit,
        account: Account,
        check: &Check<'_>,
    ) -> Principal {
        let login = LastLogin {
            at: check.now,
            from: check.addr,
        };
        if !self.cache.note(key.lookup(), login) {
            self.logins.note(hit.key, login);
        }
        Principal::new(hit.owner, account, Via::Key(hit.key))
    }

    async fn account(&self, owner: OwnerId) -> Result<Account, (Denied, &'static str)> {
        let answer = match ask::ask(self.accounts.as_ref(), owner) {
            Ok(answer) => answer,
            Err(later) => wait(later).await,
        };
        admitted(answer)
    }

    /// The stored digest is of an older pepper: now that the key is at hand, it is replaced. What
    /// fails is tried again by the key's next use.
    async fn rehash(&self, key: &PresentedKey<'_>, id: KeyId) {
        let digest = self.peppers.digest(key);
        let result = async {
            if let Some(mut row) = self.store.key(id).await? {
                row.key.digest = digest;
                self.store.update_key(&row, self.clock.now()).await?;
            }
            Ok::<_, gatepost_storage::StoreError>(())
        };
        if let Err(error) = result.await {
            tracing::debug!(%error, "a digest was not renewed");
        }
    }
}

/// What the host's answer means for a key that is good.
fn admitted(
    answer: Result<Option<Account>, AccountsError>,
) -> Result<Account, (Denied, &'static str)> {
    match answer {
        Ok(Some(account)) if account.enabled => Ok(account),
        Ok(Some(_)) => Err((Denied::Unauthenticated, "owner_disabled")),
        Ok(None) => Err((Denied::Unauthenticated, "owner_unknown")),
        Err(error) => {
            tracing::error!(%error, "accounts cannot be asked");
            Err((Denied::Unavailable, "accounts_unavailable"))
        }
    }
}

/// Kept apart, so that the path that need not wait holds no future of the host's.
async fn wait(later: AccountAnswer<'_>) -> Result<Option<Account>, AccountsError> {
    ask::wait(later).await
}

fn unavailable(error: &gatepost_storage::StoreError) -> (Denied, &'static str) {
    tracing::error!(%error, "keys cannot be read");
    (Denied::Unavailable, "store_unavailable")
}
