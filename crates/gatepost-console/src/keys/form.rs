//! The form of a key.

use apikey_core::{
    Description, Expiration, Grant, IpEntry, IpList, IpPolicy, IpRange, IpRangeError, KeyDraft,
    KeyEdit, KeyName, MAX_GRANTED, MAX_IP_ENTRIES, OwnerId, RateLimit, RateLimitError, ScopeName,
    ScopeNames, TableNames,
};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::keys::KeyRow;
use maud::{Markup, html};
use webhook_model::trim_pasted;

use super::review::surprises;
use crate::context::PageContext;
use crate::fields::{Sheet, key};
use crate::form::{Choices, Form, Rows};
use crate::layout::{self, Column, InputKind};
use crate::problems::Problems;
use crate::texts::Texts;
use crate::time;

/// The maximum number of requests per minute in the form if the platform sets no limit.
const MAX_REQUESTS: i64 = 1_000_000;

/// The columns of an address, and a blank row.
const COLUMNS: [&str; 2] = ["net", "on"];
const BLANK: [&str; 2] = ["", "on"];

/// The content of a valid form.
#[derive(Debug)]
pub(super) struct ValidKey {
    owner: OwnerId,
    name: KeyName,
    description: Description,
    /// `None` keeps the present expiration.
    expiration: Option<Expiration>,
    ip: IpPolicy,
    grant: Grant,
    limit: Option<RateLimit>,
}

/// Returns the form with a stored key.
pub(super) fn stored(row: &KeyRow) -> Form {
    let (key, grant) = (&row.key, &row.key.grant);
    let rows = |list: &IpList| {
        let entry = |entry: &IpEntry| {
            let on = if entry.enabled { "on" } else { "" };
            [entry.net.to_string(), on.to_owned()]
        };
        list.entries().iter().map(entry).collect::<Vec<_>>()
    };
    let expires = match key.expiration {
        Expiration::At(at) => time::field(at),
        Expiration::Never => String::new(),
    };
    let requests = key.limit.map(|limit| limit.requests().to_string());
    let form = Form::default()
        .with("name", key.name.as_str())
        .with("description", key.description.as_str())
        .with("expires_type", "keep")
        .with("expires", expires)
        .with_rows("allow", COLUMNS, rows(&key.ip.allow))
        .with_rows("deny", COLUMNS, rows(&key.ip.deny))
        .with_tick("read_only", grant.is_read_only())
        .with("requests_per_minute", requests.unwrap_or_default());
    let tables = grant.tables().iter().map(ToString::to_string);
    let scopes = grant.scopes().iter().map(ToString::to_string);
    form.with_all("tables", tables).with_all("scopes", scopes)
}

/// Parses a form, with the same types as the API's input; notes each error next to its field.
pub(super) fn parse(ctx: &PageContext, form: &Form, problems: &mut Problems) -> Option<ValidKey> {
    let t = ctx.texts();
    let name = problems.take("name", form.text("name").parse::<KeyName>());
    let description = form.lines("description").parse::<Description>();
    let description = problems.take("description", description);
    let expiration = problems.take("expires", expiration(t, form, ctx.now()));
    let mut list = |name| {
        let rows = rows(form, name);
        match rows.is_too_long(t, name, problems) {
            true => None,
            false => problems.take(name, list(t, &rows)),
        }
    };
    let (allow, deny) = (list("allow"), list("deny"));
    let names = |name| form.all(name).collect::<Vec<_>>().join(",");
    let tables = problems.take("tables", names("tables").parse::<TableNames>());
    let scopes = problems.take("scopes", names("scopes").parse::<ScopeNames>());
    let limit = problems.take("requests_per_minute", limit(form));
    let owner = match form.word("user") {
        "" => Some(ctx.principal().owner),
        user => problems.take("user", user.parse().map_err(|_| t.of("keys-problem-owner"))),
    };
    Some(ValidKey {
        owner: owner?,
        name: name?,
        description: description?,
        expiration: expiration?,
        ip: IpPolicy {
            allow: allow?,
            deny: deny?,
        },
        grant: Grant::new(form.ticked("read_only"), tables?, scopes?),
        limit: limit?,
    })
}

impl ValidKey {
    pub(super) fn new_key(self) -> KeyDraft {
        KeyDraft::new(self.owner, self.name)
            .with_description(self.description)
            .with_expiration(self.expiration.unwrap_or(Expiration::Never))
            .with_ip(self.ip)
            .with_grant(self.grant)
            .with_limit(self.limit)
    }

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

fn limit(form: &Form) -> Result<Option<RateLimit>, RateLimitError> {
    match form.word("requests_per_minute") {
        "" => Ok(None),
        requests => RateLimit::per_minute(requests.parse().unwrap_or(0)).map(Some),
    }
}

fn expiration(
    texts: &Texts,
    form: &Form,
    now: DateTime<Utc>,
) -> Result<Option<Expiration>, String> {
    let wrong = |text| texts.of(text).into_owned();
    let at = match form.text("expires_type") {
        "never" => return Ok(Some(Expiration::Never)),
        "keep" => return Ok(None),
        days @ ("30" | "60" | "90") => now + TimeDelta::days(days.parse().unwrap_or(30)),
        "date" if form.text("expires").is_empty() => return Err(wrong("keys-problem-date")),
        "date" => time::parse_field(&form.date("expires"))
            .ok_or_else(|| wrong("keys-problem-date-unreadable"))?,
        _ => return Err(wrong("keys-problem-expires")),
    };
    Expiration::in_future(at, now)
        .map(Some)
        .map_err(|error| error.to_string())
}

fn rows(form: &Form, list: &str) -> Rows {
    form.rows(list, COLUMNS, BLANK, MAX_IP_ENTRIES)
}

/// Returns the surprising effects of the IP lists, if they are valid, whatever the other fields
/// contain.
pub(super) fn surprising(texts: &Texts, form: &Form) -> String {
    let list = |name| list(texts, &rows(form, name));
    match (list("allow"), list("deny")) {
        (Ok(allow), Ok(deny)) => surprises(texts, &IpPolicy { allow, deny }),
        _ => String::new(),
    }
}

/// Parses the entries; empty rows are skipped.
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

/// Renders the fields; `owners` are the users that a new key may be for, if there is a choice.
pub(super) fn fields(
    ctx: &PageContext,
    row: Option<&KeyRow>,
    form: &Form,
    problems: &Problems,
    owners: Option<&Choices>,
) -> Markup {
    let texts = ctx.texts();
    let (t, surprising) = (texts, surprising(texts, form));
    let sheet = Sheet::new(texts, "keys", form, problems);
    html! {
        section {
            (sheet.fields(key::WHAT))
            @if let Some(owners) = owners { (sheet.picker("user", owners)) }
            (expiry(&sheet, row))
            (sheet.field(&key::EXPIRES, ""))
            @if form.text("expires_type") != "date" { p.error { (problems.of("expires").unwrap_or_default()) } }
        }
        section {
            h2 { (t.of("keys-form-addresses")) }
            p.quiet { (t.of("keys-form-addresses-text")) }
            @for list in ["allow", "deny"] { (entries(&sheet, list)) }
            p.note.warn data-hint="ip" hidden[surprising.is_empty()] { (surprising) }
        }
        section {
            h2 { (t.of("keys-form-grant")) }
            p.quiet { (t.of("keys-form-grant-text")) }
            (sheet.field(&key::READ_ONLY, ""))
            (granted(&sheet, "tables", ctx.actor.grantable_tables()))
            (granted(&sheet, "scopes", ctx.actor.grantable_scopes().map(ScopeName::as_str)))
            (requests(ctx, &sheet))
        }
    }
}

/// Renders the choice of the expiration; for an existing key also the present one.
fn expiry(sheet: &Sheet<'_>, row: Option<&KeyRow>) -> Markup {
    let t = sheet.texts;
    let keep = row.map(|row| match row.key.expiration {
        Expiration::Never => t.of("keys-form-keep-never").into_owned(),
        Expiration::At(at) => {
            let time = at.format("%Y-%m-%d %H:%M UTC").to_string();
            t.with("keys-form-keep", &[("time", time.into())])
        }
    });
    let days = [("30", 30_u64), ("60", 60), ("90", 90)].map(|(value, count)| {
        let text = t.with("keys-form-expires-in", &[("count", count.into())]);
        (value, text)
    });
    let (date, never) = (
        t.of("keys-form-expires-date"),
        t.of("keys-form-expires-never"),
    );
    let keep = keep.iter().map(|keep| ("keep", keep.as_str()));
    let days = days.iter().map(|(value, text)| (*value, text.as_str()));
    let choices: Vec<_> = keep
        .chain(days)
        .chain([("date", &*date), ("never", &*never)])
        .collect();
    let (name, chosen) = ("expires_type", sheet.form.text("expires_type"));
    layout::radios(
        sheet.problems,
        name,
        &sheet.text(name, ""),
        &choices,
        chosen,
    )
}

/// Renders checkboxes for names. A name that the key has already is offered even if the platform no
/// longer has it.
fn granted<'a>(sheet: &Sheet<'a>, name: &'a str, known: impl Iterator<Item = &'a str>) -> Markup {
    let ticked: Vec<&str> = sheet.form.all(name).collect();
    let mut offered: Vec<&str> = known.collect();
    for name in ticked.iter().take(MAX_GRANTED) {
        if !offered.contains(name) {
            offered.push(name);
        }
    }
    let (legend, hint) = (sheet.text(name, ""), sheet.text(name, "-hint"));
    html! {
        @if name == "tables" || !offered.is_empty() {
            (layout::checks(sheet.problems, name, &legend, &offered, &ticked, &hint))
        }
    }
}

/// Renders the limit of the key's requests.
fn requests(ctx: &PageContext, sheet: &Sheet<'_>) -> Markup {
    let (t, most) = (ctx.texts(), ctx.actor.request_limits().per_key);
    let name = "requests_per_minute";
    let hint = match most {
        Some(most) => {
            let most = [("count", most.requests().into())];
            t.with("keys-form-requests-most", &most)
        }
        None => sheet.text(name, "-hint"),
    };
    let max = most.map_or(MAX_REQUESTS, i64::from);
    let (kind, value) = (InputKind::Number { min: 1, max }, sheet.form.word(name));
    layout::input(
        sheet.problems,
        kind,
        name,
        &sheet.text(name, ""),
        value,
        &hint,
    )
}

/// Renders the entries of an IP list.
fn entries(sheet: &Sheet<'_>, name: &str) -> Markup {
    let t = sheet.texts;
    // The editor replaces this with the number of the row.
    let number = [("number", "%".into())];
    let enabled = t.of("keys-form-enabled");
    let columns = [
        Column {
            name: "net",
            label: &t.with("keys-form-entry", &number),
            tick: None,
            placeholder: &t.of("keys-form-entry-example"),
        },
        Column {
            name: "on",
            label: &t.with("keys-form-entry-enabled", &number),
            tick: Some(&enabled),
            placeholder: "",
        },
    ];
    let (rows, legend) = (rows(sheet.form, name).rows, sheet.text(name, ""));
    layout::editor(t, sheet.problems, name, &legend, &columns, &rows, false)
}
