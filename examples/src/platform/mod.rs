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
use webhook_model::{Catalog, Invalid, OwnerId, Specificity};

/// The platform's data: fixed, so that a tester knows what to expect.
#[derive(Debug)]
pub struct Platform {
    /// What `admin` logs in with; the other users have no password.
    credentials: String,
}

impl Platform {
    /// A platform whose administrator has this password.
    #[must_use]
    pub fn new(password: &str) -> Self {
        Self {
            credentials: format!("admin:{password}"),
        }
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

    /// The user of this name and password.
    pub async fn password(&self, name: &str, password: &str) -> Option<OwnerId> {
        let given = base64(&format!("{name}:{password}"));
        is_encoded(&given, &self.credentials).then_some(OwnerId(1))
    }
}

impl PlatformLogin for Platform {
    fn presented<'a>(&self, headers: &'a HeaderMap) -> Presented<'a> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next().and_then(|v| v.to_str().ok()), values.next())
        else {
            return Presented::Nothing;
        };
        match value.split_once(' ') {
            Some((scheme, encoded)) if scheme.eq_ignore_ascii_case("basic") => {
                Presented::Password {
                    account: basic_name(encoded).unwrap_or_default(),
                }
            }
            _ => Presented::Nothing,
        }
    }

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
            let Some(("basic", encoded)) = value.split_once(' ').map(|(scheme, rest)| {
                (
                    if scheme.eq_ignore_ascii_case("basic") {
                        "basic"
                    } else {
                        ""
                    },
                    rest,
                )
            }) else {
                return PlatformAnswer::NotMine;
            };
            let admin = OwnerId(1);
            match Self::principal(admin) {
                Some(principal) if is_encoded(encoded, &self.credentials) => {
                    PlatformAnswer::Granted(Box::new(principal))
                }
                _ => PlatformAnswer::Refused(Denied::Unauthenticated),
            }
        })
    }
}

/// The name in Basic credentials (RFC 7617).
fn basic_name(encoded: &str) -> Option<String> {
    use base64::Engine as _;
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded);
    let text = String::from_utf8(decoded.ok()?).ok()?;
    Some(text.split_once(':')?.0.to_owned())
}

/// Whether `encoded` is the base64 of `text`; looks at all of it.
fn is_encoded(encoded: &str, text: &str) -> bool {
    let expected = base64(text);
    let differences = expected
        .bytes()
        .zip(encoded.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    expected.len() == encoded.len() && differences == 0
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}
