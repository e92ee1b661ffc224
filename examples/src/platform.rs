//! A small platform: users, virtual machines, tags, and a password login.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;

use async_trait::async_trait;
use axum::http::{HeaderMap, header};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, Denied, PlatformAnswer, PlatformLogin,
    Principal, TenantId, Via,
};
use gatepost_manage::{Choice, Directory};
use serde_json::{Value, json};
use webhook_model::{Catalog, Invalid, Object, ObjectId, Occurrence, OwnerId, Specificity, TagId};

const USERS: [(i64, &str, AccessLevel, Option<i64>); 4] = [
    (1, "admin", AccessLevel::SystemAdministrator, None),
    (2, "tina", AccessLevel::TenantAdministrator, Some(1)),
    (3, "ulf", AccessLevel::User, Some(1)),
    (4, "vera", AccessLevel::User, None),
];
/// Number, name, tags.
const VMS: [(i64, &str, &[i64]); 3] = [(1, "web-1", &[1]), (2, "db-1", &[1, 2]), (3, "build", &[])];
const TAGS: [(i64, &str); 2] = [(1, "production"), (2, "database")];

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

    /// The rows of a table, or nothing if there is no such table.
    #[must_use]
    pub fn rows(table: &str) -> Option<Vec<Value>> {
        match table {
            "users" => Some(USERS.iter().map(|(key, name, access, _)| {
                json!({"$key": key, "name": name, "displayname": name, "email": format!("{name}@example.com"), "type": if *access == AccessLevel::User { "normal" } else { "admin" }, "enabled": true, "created": 0, "last_login": 0})
            }).collect()),
            "vms" => Some(VMS.iter().map(|(key, name, tags)| json!({"$key": key, "name": name, "tags": joined(tags)})).collect()),
            "tags" => Some(TAGS.iter().map(|(key, name)| json!({"$key": key, "name": name})).collect()),
            _ => None,
        }
    }

    /// What happens when a virtual machine is acted on; `None` for one that does not exist.
    ///
    /// # Errors
    /// When the action is no identifier.
    pub fn vm_event(vm: i64, action: &str) -> Result<Option<Occurrence>, Invalid> {
        let Some((key, name, tags)) = VMS.iter().find(|(key, _, _)| *key == vm) else {
            return Ok(None);
        };
        Ok(Some(Occurrence {
            object: Some(Object {
                id: ObjectId(*key),
                name: (*name).to_owned(),
            }),
            tags: tags.iter().map(|tag| TagId(*tag)).collect(),
            ..Occurrence::new("vms".parse()?, action.parse()?)
        }))
    }

    /// The user of this name and password.
    #[must_use]
    pub fn password(&self, name: &str, password: &str) -> Option<OwnerId> {
        let given = base64(&format!("{name}:{password}"));
        is_encoded(&given, &self.credentials).then_some(OwnerId(1))
    }

    /// The user, logged in by the platform's own means; `None` if there is no such user.
    #[must_use]
    pub fn principal(owner: OwnerId) -> Option<Principal> {
        Some(Principal::new(
            owner,
            Self::account_of(owner)?,
            Via::Platform,
        ))
    }

    fn account_of(owner: OwnerId) -> Option<Account> {
        let (_, _, access, tenant) = USERS.iter().find(|(key, ..)| *key == owner.0)?;
        Some(Account {
            tenant: tenant.map(TenantId),
            ..Account::enabled(*access)
        })
    }
}

impl Accounts for Platform {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Self::account_of(owner)))
    }
}

#[async_trait]
impl Directory for Platform {
    async fn name(&self, _caller: &Principal, table: &str, key: i64) -> Option<String> {
        let row = Self::rows(table)?
            .into_iter()
            .find(|row| row["$key"] == key)?;
        Some(row["name"].as_str()?.to_owned())
    }

    async fn choices(&self, _caller: &Principal, table: &str, limit: usize) -> Vec<Choice> {
        let rows = Self::rows(table).unwrap_or_default().into_iter();
        let choices = rows.filter_map(|row| {
            Some(Choice {
                key: row["$key"].as_i64()?,
                name: row["name"].as_str()?.to_owned(),
            })
        });
        choices.take(limit).collect()
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

/// `1,2`: how the wire writes a list in one column.
fn joined(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    numbers.join(",")
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
