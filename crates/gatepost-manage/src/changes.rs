//! The changes of an edit, field by field, for an audit log: never a secret, a message, or more of
//! a URL than its origin.

use std::borrow::Cow;

use apikey_core::{ApiKey, Expiration, RateLimit as KeyLimit};
use chrono::SecondsFormat;
use gatepost_storage::audit::AuditEntry;
use serde_json::{Value, json};
use webhook_model::{
    Action, Activity, ClientIdentity, DeliveryOrder, Event, Message, RateLimit, RetrySchedule,
    Target, TargetUrl, Task, Webhook, WebhookId,
};

/// The maximum length of a value in characters.
const LONGEST: usize = 120;

/// The fields that a change gave other values, in the order of the record's form.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Changes(Vec<FieldChange>);

/// A field with a new value.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct FieldChange {
    /// The field, by its name in the API.
    pub field: Cow<'static, str>,
    /// The old and the new value, at most 120 characters of each. `None` for values that must not
    /// be logged: secrets, messages, headers, the path of a URL, and fields that others changed at
    /// the same time.
    pub values: Option<(String, String)>,
}

impl Changes {
    /// Iterates over the fields.
    pub fn iter(&self) -> impl Iterator<Item = &FieldChange> {
        self.0.iter()
    }

    /// Returns whether no field is named: the change was not an edit, or left every field
    /// unchanged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    // Records are destructured completely, so that an added field must be handled here.

    pub(crate) fn of_key(old: &ApiKey, new: &ApiKey) -> Self {
        let ApiKey {
            owner: _,
            lookup,
            masked: _,
            digest,
            name,
            description,
            expiration,
            ip,
            grant,
            limit,
            enabled,
            // The user who disabled it is recorded.
            locked: _,
            created: _,
            last_login: _,
        } = old;
        let mut changes = Self::default();
        changes.hidden("key", *lookup != new.lookup || *digest != new.digest);
        changes.shown("name", name.as_str(), new.name.as_str());
        let text = description.as_str();
        changes.shown("description", text, new.description.as_str());
        changes.shown("expires", expires(*expiration), expires(new.expiration));
        changes.text("ip_allow_list", &ip.allow, &new.ip.allow);
        changes.text("ip_deny_list", &ip.deny, &new.ip.deny);
        changes.text(
            "read_only",
            &grant.is_read_only(),
            &new.grant.is_read_only(),
        );
        changes.text("tables", grant.tables(), new.grant.tables());
        changes.text("scopes", grant.scopes(), new.grant.scopes());
        let requests = |limit: Option<KeyLimit>| limit.map_or(0, KeyLimit::requests);
        let limits = (requests(*limit), requests(new.limit));
        changes.text("requests_per_minute", &limits.0, &limits.1);
        changes.text("enabled", enabled, &new.enabled);
        changes
    }

    pub(crate) fn of_webhook(old: &Webhook, new: &Webhook) -> Self {
        let Webhook {
            owner: _,
            name,
            url,
            authorization,
            client_identity,
            headers,
            allow_insecure,
            timeout,
            retries,
            retry_schedule,
            activity,
            mode,
            order,
            signing,
            rate,
            channels,
        } = old;
        let mut changes = Self::default();
        changes.shown("name", name.as_str(), new.name.as_str());
        match (origin(url), origin(&new.url)) {
            (old, new) if old != new => changes.shown("url", old, new),
            _ => changes.hidden("url", *url != new.url),
        }
        let kinds = (authorization.kind(), new.authorization.kind());
        changes.shown("authorization_type", kinds.0.as_str(), kinds.1.as_str());
        let other = *authorization != new.authorization;
        changes.hidden("authorization_value", other);
        let identities = (client_identity.as_ref(), new.client_identity.as_ref());
        let certificates = (
            identities.0.map(ClientIdentity::certificate),
            identities.1.map(ClientIdentity::certificate),
        );
        changes.hidden("client_certificate", certificates.0 != certificates.1);
        let keys = (
            identities.0.map(ClientIdentity::key),
            identities.1.map(ClientIdentity::key),
        );
        changes.hidden("client_key", keys.0 != keys.1);
        changes.hidden("headers", *headers != new.headers);
        changes.text("allow_insecure", allow_insecure, &new.allow_insecure);
        changes.text("timeout", &timeout.as_secs(), &new.timeout.as_secs());
        changes.text("retries", &retries.get(), &new.retries.get());
        let schedule =
            |of: &Option<RetrySchedule>| of.as_ref().map_or(String::new(), ToString::to_string);
        let schedules = (schedule(retry_schedule), schedule(&new.retry_schedule));
        changes.shown("retry_schedule", schedules.0, schedules.1);
        let activities = (activity_word(*activity), activity_word(new.activity));
        changes.shown("activity", activities.0, activities.1);
        changes.shown("delivery_mode", mode.as_str(), new.mode.as_str());
        changes.shown("order", order_word(*order), order_word(new.order));
        changes.hidden("signing_secret", *signing != new.signing);
        changes.shown("rate", rate_text(*rate), rate_text(new.rate));
        changes.text("channels", channels, &new.channels);
        changes
    }

    pub(crate) fn of_task(old: &Task, new: &Task) -> Self {
        let Task {
            creator: _,
            name,
            description,
            enabled,
            delete_after_run,
            action,
        } = old;
        let mut changes = Self::default();
        changes.shown("name", name.as_str(), new.name.as_str());
        let text = description.as_str();
        changes.shown("description", text, new.description.as_str());
        changes.text("enabled", enabled, &new.enabled);
        let once = new.delete_after_run;
        changes.text("delete_after_run", delete_after_run, &once);
        let (old, new) = (sent(action), sent(&new.action));
        let webhook = |sent: Option<(WebhookId, &Message)>| sent.map_or(0, |(id, _)| id.0);
        changes.text("webhook", &webhook(old), &webhook(new));
        let message = |sent: Option<(WebhookId, &Message)>| sent.map(|(_, text)| text.clone());
        changes.hidden("message", message(old) != message(new));
        changes
    }

    pub(crate) fn of_event(old: &Event, new: &Event) -> Self {
        let Event {
            event_type,
            event,
            target,
            task,
            enabled,
            filters,
            context,
            label,
        } = old;
        let mut changes = Self::default();
        changes.shown("table", event_type.as_str(), new.event_type.as_str());
        changes.shown("event", event.as_str(), new.event.as_str());
        changes.shown("event_name", label.as_str(), new.label.as_str());
        changes.shown("target", target_text(*target), target_text(new.target));
        changes.text("task", &task.0, &new.task.0);
        changes.text("enabled", enabled, &new.enabled);
        let filter = filters.as_str();
        changes.shown("table_event_filters", filter, new.filters.as_str());
        changes.hidden("context", *context != new.context);
        changes
    }

    /// Removes the values of the fields.
    pub(crate) fn named_alone(mut self) -> Self {
        self.0.iter_mut().for_each(|change| change.values = None);
        self
    }

    /// Returns the stored form: JSON, at most [`AuditEntry::MAX_CHANGES`] bytes. Values that do not
    /// fit are left out.
    pub(crate) fn to_stored(&self) -> String {
        // Two for the brackets.
        let names: usize = self.0.iter().map(|change| change.field.len() + 5).sum();
        let mut room = AuditEntry::MAX_CHANGES.saturating_sub(names + 2);
        let fields = self.0.iter().map(|change| {
            let alone = json!([change.field]);
            let Some((old, new)) = &change.values else {
                return alone;
            };
            let whole = json!([change.field, old, new]);
            let more = whole.to_string().len() - alone.to_string().len();
            if more > room {
                return alone;
            }
            room -= more;
            whole
        });
        Value::Array(fields.collect()).to_string()
    }

    /// Parses the stored form; an invalid one names no field.
    pub(crate) fn from_stored(text: &str) -> Self {
        let fields: Vec<Vec<String>> = serde_json::from_str(text).unwrap_or_default();
        let fields = fields.into_iter().filter_map(|mut parts| {
            let values = match parts.len() {
                3 => Some((std::mem::take(&mut parts[1]), std::mem::take(&mut parts[2]))),
                _ => None,
            };
            let field = parts.into_iter().next()?.into();
            Some(FieldChange { field, values })
        });
        Self(fields.collect())
    }

    fn shown(&mut self, field: &'static str, old: impl AsRef<str>, new: impl AsRef<str>) {
        let (old, new) = (old.as_ref(), new.as_ref());
        if old != new {
            let values = Some((cut(old), cut(new)));
            self.push(field, values);
        }
    }

    fn text<T: PartialEq + ToString + ?Sized>(&mut self, field: &'static str, old: &T, new: &T) {
        if old != new {
            self.shown(field, old.to_string(), new.to_string());
        }
    }

    fn hidden(&mut self, field: &'static str, differs: bool) {
        if differs {
            self.push(field, None);
        }
    }

    fn push(&mut self, field: &'static str, values: Option<(String, String)>) {
        let field = field.into();
        self.0.push(FieldChange { field, values });
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns the origin of a URL, without user and path, which may be secrets.
fn origin(url: &TargetUrl) -> String {
    url.as_url().origin().ascii_serialization()
}

fn expires(expiration: Expiration) -> String {
    match expiration {
        Expiration::Never => "never".to_owned(),
        Expiration::At(at) => at.to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}

fn activity_word(activity: Activity) -> &'static str {
    match activity {
        Activity::Active => "active",
        Activity::Paused => "paused",
        Activity::Disabled => "disabled",
    }
}

fn order_word(order: DeliveryOrder) -> &'static str {
    match order {
        DeliveryOrder::InOrder => "in_order",
        DeliveryOrder::Unordered => "unordered",
    }
}

fn rate_text(rate: Option<RateLimit>) -> String {
    rate.map_or_else(|| "none".to_owned(), |rate| rate.get().to_string())
}

fn sent(action: &Action) -> Option<(WebhookId, &Message)> {
    match action {
        Action::Send { webhook, message } => Some((*webhook, message)),
        _ => None,
    }
}

fn target_text(target: Target) -> String {
    match target {
        Target::Instance(id) => id.to_string(),
        Target::Tag(id) => format!("tags/{}", id.0),
        Target::Generic => "all".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_changes_round_trip_within_size_limit() {
        let mut changes = Changes::default();
        changes.shown("name", "a", "b");
        changes.shown("same", "a", "a");
        changes.hidden("message", true);
        assert_eq!(Changes::from_stored(&changes.to_stored()), changes);
        let wide = "\u{1}".repeat(500);
        for field in ["f1", "f2", "f3", "f4", "f5", "f6"] {
            changes.shown(field, &wide, "");
        }
        let stored = changes.to_stored();
        assert!(stored.len() <= AuditEntry::MAX_CHANGES, "{}", stored.len());
        let back = Changes::from_stored(&stored);
        let names = |changes: &Changes| -> Vec<_> {
            changes.iter().map(|change| change.field.clone()).collect()
        };
        assert_eq!(names(&back), names(&changes), "every field is named");
        assert_eq!(back.0[2].values.as_ref().unwrap().0.chars().count(), 121);
        assert_eq!(back.0.last().unwrap().values, None, "over the limit");
        assert!(Changes::from_stored("[[1]]").is_empty());
    }
}
