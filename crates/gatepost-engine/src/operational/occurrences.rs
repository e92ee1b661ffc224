//! Occurrences about a webhook for its owner.

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::WebhookRow;
use webhook_model::{Audience, Invalid, Object, Occurrence};

use crate::config::WEBHOOKS;

/// Something about a webhook.
#[derive(Debug)]
pub(super) struct About {
    event: &'static str,
    /// A value that identifies one notice, in whichever process: the last success before a trouble,
    /// the revision of an edit, an hour.
    once: i64,
    said: Vec<(&'static str, String)>,
}

impl About {
    /// Creates the notice of failures. `sent`: the last success before that.
    pub(super) fn failing(sent: Option<DateTime<Utc>>, reason: &str, since: DateTime<Utc>) -> Self {
        Self {
            event: "failing",
            once: number(sent),
            said: vec![("REASON", reason.to_owned()), ("SINCE", moment(since))],
        }
    }

    /// Creates the notice of a recovery. `sent`: as when it was reported as failing.
    pub(super) fn recovered(sent: Option<DateTime<Utc>>, since: DateTime<Utc>) -> Self {
        Self {
            event: "recovered",
            once: number(sent),
            said: vec![("SINCE", moment(since))],
        }
    }

    pub(super) fn disabled(revision: Revision, reason: &str) -> Self {
        Self {
            event: "disabled",
            once: revision.0,
            said: vec![("REASON", reason.to_owned())],
        }
    }

    /// Creates `exhausted` or `rejected`: the number of deliveries in this hour.
    pub(super) fn counted(
        event: &'static str,
        hour: DateTime<Utc>,
        reason: &str,
        count: u64,
    ) -> Self {
        Self {
            event,
            once: hour.timestamp(),
            said: vec![("REASON", reason.to_owned()), ("COUNT", count.to_string())],
        }
    }

    pub(super) fn of(self, row: &WebhookRow) -> Result<Occurrence, Invalid> {
        let Self { event, once, said } = self;
        let webhook = ("WEBHOOK", row.id.0.to_string());
        let said = std::iter::once(webhook).chain(said);
        let id = format!("gatepost:{WEBHOOKS}.{event}:{}:{once}", row.id.0);
        Ok(Occurrence::new(
            WEBHOOKS.parse()?,
            event.parse()?,
            Audience::Owner(row.owner),
        )
        .with_id(id.parse()?)
        .with_object(Object::new(row.id.into(), row.value.name.to_string()))
        .with_variables(said.map(|(name, value)| (name.to_owned(), value)).collect()))
    }
}

fn number(sent: Option<DateTime<Utc>>) -> i64 {
    sent.map_or(0, |sent| sent.timestamp_micros())
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use webhook_model::{Catalog, WebhookId};

    use super::*;
    use crate::config::OperationalEvents;
    use crate::operational::with_own_types;
    use crate::testing::{noon, webhook};

    #[test]
    fn operational_occurrences_match_catalog_and_address_the_owner() {
        let catalog = with_own_types(Catalog::default(), OperationalEvents::all()).unwrap();
        let value = webhook(|webhook| webhook.name = "ops".parse().unwrap());
        let row = WebhookRow {
            id: WebhookId(7),
            owner: value.owner,
            revision: Revision(3),
            created: noon(),
            modified: noon(),
            value,
        };
        let (since, reason) = (noon(), "HTTP 503");
        let mut ids = BTreeSet::new();
        for about in [
            About::failing(None, reason, since),
            About::recovered(None, since),
            About::disabled(row.revision, reason),
            About::counted("exhausted", noon(), reason, 3),
            About::counted("rejected", noon(), reason, 3),
        ] {
            let occurrence = about.of(&row).unwrap();
            let notes = catalog.notes(&occurrence.event_type, &occurrence.event);
            let promised: Vec<_> = notes.unwrap().variables().map(|v| v.name()).collect();
            let brought: BTreeSet<_> = occurrence.variables.iter().map(|(n, _)| &**n).collect();
            assert_eq!(brought, promised.into_iter().collect());
            assert_eq!(occurrence.audience, Audience::Owner(row.owner));
            assert_eq!(occurrence.object.unwrap().name, "ops");
            ids.insert(occurrence.id.unwrap().to_string());
        }
        assert_eq!(ids.len(), 5, "{ids:?}");
    }
}
