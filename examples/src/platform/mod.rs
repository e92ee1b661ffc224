//! A small platform: tenants and users, virtual machines, tags, and a password login.

mod directory;
mod machines;
mod users;
mod watch;

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;

use axum::http::{HeaderMap, header};
use gatepost_keys::{Denied, PlatformAnswer, PlatformLogin, Presented};
use webhook_model::{Catalog, Invalid, Specificity};

use self::machines::about_machine;
use crate::passwords::{Checked, Judged, Passwords};

/// The platform's data: fixed, so that a tester knows what to expect.
#[derive(Debug, Default)]
pub struct Platform {
    passwords: Passwords,
}

impl Platform {
    /// Creates a platform whose users have these passwords; a user without one cannot log in with
    /// any.
    #[must_use]
    pub fn new(passwords: Passwords) -> Self {
        Self { passwords }
    }

    /// Returns the types and events of this platform.
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
            .user_caused("users", "login")?
            .user_caused("users", "logout")?
            .notes(
                "vms",
                "poweron",
                about_machine("A virtual machine was switched on.")?,
            )?
            .notes(
                "vms",
                "poweroff",
                about_machine("A virtual machine was switched off.")?,
            )?
            .notes(
                "vms",
                "created",
                about_machine("A virtual machine was created.")?,
            )?
            .build())
    }

    /// Returns the user of a name and a password.
    pub async fn password(&self, name: &str, password: &str) -> Checked {
        match (
            self.passwords.judge(name, password).await,
            Self::named(name),
        ) {
            (Judged::Good, Some(owner)) => Checked::Good(owner),
            (Judged::Busy, _) => Checked::Busy,
            _ => Checked::Wrong,
        }
    }

    async fn answer(&self, name: &str, password: &str) -> PlatformAnswer {
        let good = |owner| Self::principal(owner).map(|who| PlatformAnswer::Granted(Box::new(who)));
        let granted = match self.password(name, password).await {
            Checked::Good(owner) => good(owner),
            Checked::Busy => return PlatformAnswer::Busy,
            Checked::Wrong => None,
        };
        granted.unwrap_or(PlatformAnswer::Refused(Denied::Unauthenticated))
    }
}

impl PlatformLogin for Platform {
    fn presented<'a>(&self, headers: &'a HeaderMap) -> Presented<'a> {
        match basic(headers) {
            Some(encoded) => Presented::Password {
                account: decoded(encoded).unwrap_or_default().0,
            },
            None => Presented::Nothing,
        }
    }

    fn login<'a>(
        &'a self,
        headers: &'a HeaderMap,
        _from: IpAddr,
    ) -> Pin<Box<dyn Future<Output = PlatformAnswer> + Send + 'a>> {
        Box::pin(async move {
            match basic(headers).map(decoded) {
                Some(Some((name, password))) => self.answer(&name, &password).await,
                Some(None) => PlatformAnswer::Refused(Denied::Unauthenticated),
                None => PlatformAnswer::NotMine,
            }
        })
    }
}

/// Returns the Basic credentials of a request that has no others.
fn basic(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (scheme, encoded) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("basic").then_some(encoded)
}

/// Decodes the name and password of Basic credentials (RFC 7617).
fn decoded(encoded: &str) -> Option<(String, String)> {
    use base64::Engine as _;
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded);
    let text = String::from_utf8(decoded.ok()?).ok()?;
    let (name, password) = text.split_once(':')?;
    Some((name.to_owned(), password.to_owned()))
}
