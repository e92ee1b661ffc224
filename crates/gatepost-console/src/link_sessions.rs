//! Sessions that links open.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_manage::{Principal, Via, Visit};
use gatepost_storage::sessions::{EndSessions, Session, SessionDigest};
use gatepost_storage::{SessionStore, StoreError};
use http::{HeaderMap, HeaderValue, header};
use sha2::{Digest as _, Sha256};
use url::Url;
use webhook_model::OwnerId;

use crate::login::{ConsoleLogin, LoggedIn, cookie};

/// The time for which a link is valid.
const LINK: TimeDelta = TimeDelta::minutes(1);
/// The time for which a session lasts without a user's request.
const IDLE: TimeDelta = TimeDelta::minutes(30);
/// The maximum time for which a session lasts.
const LONGEST: TimeDelta = TimeDelta::hours(12);
/// The minimum time by which a session is extended: not every request writes to the store.
const STEP: TimeDelta = TimeDelta::minutes(1);
/// The page that a link opens, to which its form is sent as well.
pub(crate) const OPEN: &str = "/open";
pub(crate) const LOGOUT: &str = "/logout";

/// The reason for which no link was created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The console uses the platform's own login: [`Console::linked`](crate::Console::linked)
    /// creates one with links.
    #[error("this console is opened by the platform's login, not by links")]
    NoLinks,
    /// The caller's API key may do less than its user, and a session could do all of it.
    #[error("an API key with a part of its user's permissions opens no console")]
    Restricted,
    /// The store of sessions failed.
    #[error("the link could not be stored")]
    Store(#[source] StoreError),
}

/// The way in which users log in.
#[derive(Debug)]
pub(crate) enum Login {
    Platform(Arc<dyn ConsoleLogin>),
    Links(Links),
}

impl Login {
    pub(crate) fn links(&self) -> Option<&Links> {
        match self {
            Self::Platform(_) => None,
            Self::Links(links) => Some(links),
        }
    }
}

/// Sessions that links open.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    store: Arc<dyn SessionStore>,
    /// The address of the console.
    url: Url,
}

impl Links {
    pub(crate) fn new(store: Arc<dyn SessionStore>, url: Url) -> Self {
        Self { store, url }
    }

    pub(crate) async fn link(
        &self,
        principal: &Principal,
        name: &str,
        now: DateTime<Utc>,
    ) -> Result<Url, LinkError> {
        if matches!(principal.via, Via::Key(_)) && !principal.grant.is_all() {
            return Err(LinkError::Restricted);
        }
        let secret = secret();
        let link = Session {
            digest: of_link(&secret),
            owner: principal.owner,
            name: name.to_owned(),
            opened: now,
            until: now + LINK,
        };
        let stored = self.store.open_session(&link, None, now).await;
        stored.map_err(LinkError::Store)?;
        let mut url = self.url.clone();
        let path = format!("{}{OPEN}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.query_pairs_mut().clear().append_pair("link", &secret);
        Ok(url)
    }

    pub(crate) async fn end_all(&self, owner: OwnerId) -> Result<(), StoreError> {
        self.store.end_sessions(EndSessions::OfOwner(owner)).await
    }

    /// Finds the session of a request. A user's request extends the session; a poll does not.
    pub(crate) async fn who(
        &self,
        headers: &HeaderMap,
        visit: Visit,
        now: DateTime<Utc>,
    ) -> Result<Option<LoggedIn>, StoreError> {
        let Some(secret) = cookie(headers, self.cookie()) else {
            return Ok(None);
        };
        let Some(session) = self.store.session(of_session(secret), now).await? else {
            return Ok(None);
        };
        let until = last(session.opened, now);
        if visit == Visit::Person && until - session.until >= STEP {
            self.store.prolong_session(session.digest, until).await?;
        }
        Ok(Some(LoggedIn::new(session.owner, session.name, secret)))
    }

    pub(crate) async fn end(&self, headers: &HeaderMap) -> Result<(), StoreError> {
        match cookie(headers, self.cookie()) {
            Some(secret) => {
                let own = EndSessions::One(of_session(secret));
                self.store.end_sessions(own).await
            }
            None => Ok(()),
        }
    }

    /// Returns the name of the cookie: with TLS, one that no other site, and no page without TLS,
    /// can set.
    pub(crate) fn cookie(&self) -> &'static str {
        match self.url.scheme() {
            "https" => "__Host-gatepost",
            _ => "gatepost",
        }
    }

    pub(crate) fn set_cookie(&self, value: &str, more: &str) -> HeaderMap {
        let secure = match self.url.scheme() {
            "https" => "; Secure",
            _ => "",
        };
        let name = self.cookie();
        let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{more}");
        let value = HeaderValue::from_str(&cookie);
        let set = value.into_iter().map(|value| (header::SET_COOKIE, value));
        set.collect()
    }

    /// Returns the link with this secret, without using it up.
    pub(crate) async fn of(
        &self,
        link: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<Session>, StoreError> {
        self.store.session(of_link(link), now).await
    }

    /// Returns the secret of the session that this link opens. An existing session of the browser
    /// ends.
    pub(crate) async fn opened(
        &self,
        headers: &HeaderMap,
        link: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<String>, StoreError> {
        let digest = of_link(link);
        let Some(link) = self.store.session(digest, now).await? else {
            return Ok(None);
        };
        let secret = secret();
        let session = Session {
            digest: of_session(&secret),
            opened: now,
            until: last(now, now),
            ..link
        };
        if !self.store.open_session(&session, Some(digest), now).await? {
            return Ok(None);
        }
        self.end(headers).await?;
        Ok(Some(secret))
    }
}

/// Returns the end of a session that is used at `now`.
fn last(opened: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
    (now + IDLE).min(opened + LONGEST)
}

/// Returns 256 random bits.
fn secret() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

fn of_link(secret: &str) -> SessionDigest {
    digest("link", secret)
}

fn of_session(secret: &str) -> SessionDigest {
    digest("session", secret)
}

/// Returns the digest of a secret; a link and a session with the same secret have different
/// digests.
fn digest(of: &str, secret: &str) -> SessionDigest {
    let digest = Sha256::new().chain_update(of).chain_update([0]);
    SessionDigest(digest.chain_update(secret).finalize().into())
}
