//! A small platform: tenants and users, virtual machines, tags, and a password login.

mod directory;
mod machines;
mod users;
mod watch;

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;

use axum::http::{HeaderMap, header};
use gatepost_keys::{Denied, PlatformAnswer, PlatformLogin};
use webhook_model::{Catalog, Invalid, OwnerId, Specificity};

use crate::passwords::{Judged, Passwords};

/// The platform's data: fixed, so that a tester knows what to expect.
#[derive(Debug, Default)]
pub struct Platform {
    passwords: Passwords,
}

impl Platform {
    /// A platform whose users have these passwords; one without has none that is good.
    #[must_use]
    pub fn new(passwords: Passwords) -> Self {
        Self { passwords }
    }

    /// The types and events that this platform knows.
    ///
    /// # Errors
    /// Never: the identifiers are fixed.
    pub fn catalog() -> Result<Catalog, Invalid> {
        use Specificity::{Generic, InstanceOptional, InstanceOrTag};
        Ok(Catalog::builder()
            .event_type(
                "users",
                "Users",
                InstanceOptional,
                &[("login", "Logged in"), ("logout", "Logged out")],
            )?
            .event_type(
                "vms",
                "Virtual Machines",
                InstanceOrTag,
                &[
                    ("poweron", "Powered on"),
                    ("poweroff", "Powered off"),
                    ("created", "Created"),
                ],
            )?
            .event_type(
                "tenants",
                "Tenants",
                InstanceOrTag,
                &[
                    ("online", "Online"),
                    ("offline", "Offline"),
                    ("error", "Error"),
                ],
            )?
            .event_type(
                "site_syncs_outgoing",
                "Outgoing Site Syncs",
                InstanceOrTag,
                &[("error", "Error")],
            )?
            .event_type(
                "alarms",
                "Alarms",
                Generic,
                &[("raised", "Raised"), ("lowered", "Lowered")],
            )?
            .event_type("logs", "Logs", Generic, &[("written", "Written")])?
            .build())
    }

    /// The user of this name and password; `None` too while too many wait to be judged.
    pub async fn password(&self, name: &str, password: &str) -> Option<OwnerId> {
        let judged = self.passwords.judge(name, password).await;
        Self::named(name).filter(|_| judged == Judged::Good)
    }

    async fn basic(&self, name: &str, password: &str) -> PlatformAnswer {
        let principal = Self::named(name).and_then(Self::principal);
        match (self.passwords.judge(name, password).await, principal) {
            (Judged::Good, Some(principal)) => PlatformAnswer::Granted(Box::new(principal)),
            (Judged::Busy, _) => PlatformAnswer::Refused(Denied::Unavailable),
            _ => PlatformAnswer::Refused(Denied::Unauthenticated),
        }
    }
}

impl PlatformLogin for Platform {
    fn login<'a>(
        &'a self,
        headers: &'a HeaderMap,
        _from: IpAddr,
    ) -> Pin<Box<dyn Future<Output = PlatformAnswer> + Send + 'a>> {
        Box::pin(async move {
            let mut values = headers.get_all(header::AUTHORIZATION).iter();
            let (Some(value), None) = (values.next().and_then(|v| v.to_str().ok()), values.next())
            else {
                return PlatformAnswer::NotMine;
            };
            let Some(encoded) = after_basic(value) else {
                return PlatformAnswer::NotMine;
            };
            match decoded(encoded) {
                Some((name, password)) => self.basic(&name, &password).await,
                None => PlatformAnswer::Refused(Denied::Unauthenticated),
            }
        })
    }
}

fn after_basic(value: &str) -> Option<&str> {
    let (scheme, encoded) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("basic").then_some(encoded)
}

/// Name and password of Basic credentials (RFC 7617).
fn decoded(encoded: &str) -> Option<(String, String)> {
    use base64::Engine as _;
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded);
    let text = String::from_utf8(decoded.ok()?).ok()?;
    let (name, password) = text.split_once(':')?;
    Some((name.to_owned(), password.to_owned()))
}
