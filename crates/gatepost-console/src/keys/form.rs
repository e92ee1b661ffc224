//! The form of a key, parsed with the same types as the API's input.

use apikey_core::{
    Description, Expiration, Grant, IpEntry, IpList, IpPolicy, IpRange, IpRangeError, KeyEdit,
    KeyName, MAX_IP_ENTRIES, RateLimit, RateLimitError, ScopeNames, TableNames,
};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::keys::KeyRow;
use webhook_model::trim_pasted;

use super::review::surprises;
use crate::form::{Form, Rows};
use crate::problems::Problems;
use crate::texts::Texts;
use crate::time;

/// The days after which a new key expires unless chosen otherwise (SPEC 5.1 rule 7).
const DEFAULT_DAYS: &str = "90";

/// The columns of an address, and a row to type into.
const COLUMNS: [&str; 2] = ["net", "on"];
const BLANK: [&str; 2] = ["", "on"];

/// The content of the fields, valid or not.
#[derive(Debug, Default)]
pub(super) struct KeyForm {
    pub user: String,
    pub name: String,
    pub description: String,
    /// `never`, a number of days, `date`, or `keep`.
    pub expires_type: String,
    pub expires: String,
    /// The network, and any text if it is enabled.
    pub allow: Rows,
    pub deny: Rows,
    pub read_only: bool,
    /// The names that are ticked.
    pub tables: Vec<String>,
    pub scopes: Vec<String>,
    /// A number; blank for no limit.
    pub requests_per_minute: String,
}

/// The content of a valid form.
#[derive(Debug)]
pub(super) struct ValidKey {
    pub name: KeyName,
    pub description: Description,
    /// `None` keeps the present one.
    pub expiration: Option<Expiration>,
    pub ip: IpPolicy,
    pub grant: Grant,
    pub limit: Option<RateLimit>,
}

impl KeyForm {
    pub(super) fn sent(form: &Form) -> Self {
        let list = |name| form.rows(name, COLUMNS, BLANK, MAX_IP_ENTRIES);
        let names = |name| form.all(name).map(str::to_owned).collect();
        Self {
            user: form.text("user").to_owned(),
            name: form.text("name").to_owned(),
            description: form.lines("description"),
            expires_type: form.text("expires_type").to_owned(),
            expires: form.date("expires"),
            allow: list("allow"),
            deny: list("deny"),
            read_only: form.ticked("read_only"),
            tables: names("tables"),
            scopes: names("scopes"),
            requests_per_minute: trim_pasted(form.text("requests_per_minute")).to_owned(),
        }
    }

    /// The form of a new key.
    pub(super) fn fresh() -> Self {
        Self {
            expires_type: DEFAULT_DAYS.into(),
            allow: Rows::of(Vec::new(), BLANK),
            deny: Rows::of(Vec::new(), BLANK),
            ..Self::default()
        }
    }

    pub(super) fn of_row(row: &KeyRow) -> Self {
        let list = |list: &IpList| {
            let entry = |entry: &IpEntry| {
                let on = if entry.enabled { "on" } else { "" };
                vec![entry.net.to_string(), on.to_owned()]
            };
            Rows::of(list.entries().iter().map(entry).collect(), BLANK)
        };
        Self {
            user: row.key.owner.to_string(),
            name: row.key.name.as_str().to_owned(),
            description: row.key.description.as_str().to_owned(),
            expires_type: "keep".into(),
            expires: match row.key.expiration {
                Expiration::At(at) => time::field(at),
                Expiration::Never => String::new(),
            },
            allow: list(&row.key.ip.allow),
            deny: list(&row.key.ip.deny),
            read_only: row.key.grant.is_read_only(),
            tables: row
                .key
                .grant
                .tables()
                .iter()
                .map(ToString::to_string)
                .collect(),
            scopes: row
                .key
                .grant
                .scopes()
                .iter()
                .map(ToString::to_string)
                .collect(),
            requests_per_minute: row
                .key
                .limit
                .map_or_else(String::new, |limit| limit.requests().to_string()),
        }
    }

    /// Parses the fields; each error is noted beside its field.
    pub(super) fn parse(
        &self,
        texts: &Texts,
        problems: &mut Problems,
        now: DateTime<Utc>,
    ) -> Option<ValidKey> {
        let name = problems.take("name", self.name.parse::<KeyName>());
        let description = problems.take("description", self.description.parse::<Description>());
        let expiration = problems.take("expires", self.expiration(texts, now));
        let mut list = |name, rows: &Rows| match rows.is_too_long(texts, name, problems) {
            true => None,
            false => problems.take(name, list(texts, rows)),
        };
        let (allow, deny) = (list("allow", &self.allow), list("deny", &self.deny));
        let tables = problems.take("tables", self.tables.join(",").parse::<TableNames>());
        let scopes = problems.take("scopes", self.scopes.join(",").parse::<ScopeNames>());
        let limit = problems.take("requests_per_minute", self.limit());
        Some(ValidKey {
            name: name?,
            description: description?,
            expiration: expiration?,
            ip: IpPolicy {
                allow: allow?,
                deny: deny?,
            },
            grant: Grant::new(self.read_only, tables?, scopes?),
            limit: limit?,
        })
    }

    fn limit(&self) -> Result<Option<RateLimit>, RateLimitError> {
        if self.requests_per_minute.is_empty() {
            return Ok(None);
        }
        let requests = self.requests_per_minute.parse().unwrap_or(0);
        RateLimit::per_minute(requests).map(Some)
    }

    /// What the IP lists do that may surprise, if they are valid, whatever else is not.
    pub(super) fn surprises(&self, texts: &Texts) -> String {
        let (Ok(allow), Ok(deny)) = (list(texts, &self.allow), list(texts, &self.deny)) else {
            return String::new();
        };
        surprises(texts, &IpPolicy { allow, deny })
    }

    fn expiration(&self, texts: &Texts, now: DateTime<Utc>) -> Result<Option<Expiration>, String> {
        let wrong = |text| texts.of(text).into_owned();
        let at = match self.expires_type.as_str() {
            "never" => return Ok(Some(Expiration::Never)),
            "keep" => return Ok(None),
            days @ ("30" | "60" | "90") => now + TimeDelta::days(days.parse().unwrap_or(30)),
            "date" if self.expires.is_empty() => return Err(wrong("keys-problem-date")),
            "date" => time::parse_field(&self.expires)
                .ok_or_else(|| wrong("keys-problem-date-unreadable"))?,
            _ => return Err(wrong("keys-problem-expires")),
        };
        Expiration::in_future(at, now)
            .map(Some)
            .map_err(|error| error.to_string())
    }
}

impl ValidKey {
    pub(super) fn edit(self) -> KeyEdit {
        let mut edit = KeyEdit::default()
            .with_name(self.name)
            .with_description(self.description)
            .with_ip_allow(self.ip.allow)
            .with_ip_deny(self.ip.deny)
            .with_read_only(self.grant.is_read_only())
            .with_tables(self.grant.tables().clone())
            .with_scopes(self.grant.scopes().clone())
            .with_limit(self.limit);
        edit.expiration = self.expiration;
        edit
    }
}

/// The entries; empty rows are skipped.
fn list(texts: &Texts, rows: &Rows) -> Result<IpList, String> {
    let mut entries = Vec::new();
    for (at, row) in rows.rows.iter().enumerate() {
        let [net, on] = row.as_slice() else { continue };
        let net = trim_pasted(net);
        if net.is_empty() {
            continue;
        }
        let net: IpRange = net.parse().map_err(|rule: IpRangeError| {
            let rule = rule.to_string();
            let values = [
                ("number", (at + 1).into()),
                ("rule", texts.rule(&rule).into()),
            ];
            texts.with("keys-problem-entry", &values)
        })?;
        entries.push(IpEntry {
            enabled: !on.is_empty(),
            net,
        });
    }
    let count = [("count", MAX_IP_ENTRIES.into())];
    IpList::new(entries).map_err(|_| texts.with("keys-problem-entries", &count))
}
