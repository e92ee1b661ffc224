//! Header → key → record → owner → principal.

use std::net::IpAddr;

use apikey_core::PresentedKey;
use apikey_core::bearer::{self, BearerError};

use super::key_service::{KeyService, Parts};
use super::refused_request::Refused;
use super::uniform_timing::Moment;
use crate::denial::Denied;
use crate::key_decision::Judged;
use crate::principal::Principal;

impl KeyService {
    /// Authenticates a request by its `Authorization` headers (SPEC 5.1).
    ///
    /// The steps are, in this order: the header is parsed, the record found, the digest compared,
    /// the owner looked up, expiration and address checked, the request charged to its limits, the
    /// login noted. If the key is cached and the platform answers immediately, the call neither
    /// allocates nor waits.
    ///
    /// For an unknown id, a wrong secret and a disabled key, the work is the same and the time is a
    /// multiple of 5 ms: the time reveals neither whether a key with that id exists, nor whether it
    /// is in use. A caller with the secret of an enabled key gets the result immediately.
    ///
    /// # Errors
    /// [`Denied`], the part that the caller may know. The true reason is logged at debug level and
    /// counted in `gatepost_auth_total{outcome}`.
    pub async fn authenticate<'a>(
        &self,
        authorization: impl IntoIterator<Item = &'a [u8]>,
        addr: IpAddr,
    ) -> Result<Principal, Denied> {
        let Parts { outcomes, .. } = &*self.0;
        let token = match bearer::token_of(authorization) {
            Ok(token) => token,
            Err(BearerError::Missing) => return Err(outcomes.missing()),
            Err(error) => {
                tracing::debug!(%error, "authorization header");
                // No known key: all of these count as one.
                let refused = Refused::unauthenticated("bad_header");
                return Err(outcomes.refused(refused, b"", addr));
            }
        };
        let refused = |refused| outcomes.refused(refused, token.as_bytes(), addr);
        // Keys of an older system have another form; their lookup id is derived from the whole
        // token.
        let Ok(key) = PresentedKey::parse(token).or_else(|_| PresentedKey::imported(token)) else {
            return Err(refused(Refused::unauthenticated("malformed")));
        };
        let principal = match self.0.walk_at_once(&key, addr) {
            Some(outcome) => outcome.map_err(refused)?,
            // Boxed, so that the path without waiting holds no large future.
            None => Box::pin(self.0.walk(&key, addr)).await.map_err(refused)?,
        };
        outcomes.granted();
        Ok(principal)
    }
}

impl Parts {
    /// Looks the key up and admits its owner; a refusal takes a multiple of 5 ms.
    async fn walk(&self, key: &PresentedKey<'_>, addr: IpAddr) -> Result<Principal, Refused> {
        let (at, moment) = (self.keys.at(addr), Moment::now());
        let outcome = match self.keys.lookup(key, &at).await {
            Ok(found) => {
                let admitted = self.admission.admit(&self.keys, key, found.judged(), &at);
                admitted.await
            }
            Err(refused) => Err(refused),
        };
        if outcome.is_err() {
            moment.end().await;
        }
        outcome
    }

    /// Does the same without waiting; `None` if something must be awaited.
    #[inline]
    fn walk_at_once(
        &self,
        key: &PresentedKey<'_>,
        addr: IpAddr,
    ) -> Option<Result<Principal, Refused>> {
        let at = self.keys.at(addr);
        let held = self.keys.held(key)?;
        let entry = held.as_ref()?;
        let judged = Judged {
            entry,
            outcome: entry.judge(key, &at),
            is_cold: false,
        };
        if judged.is_wrong_secret() {
            return None;
        }
        self.admission.admit_at_once(&self.keys, judged, &at)
    }
}
