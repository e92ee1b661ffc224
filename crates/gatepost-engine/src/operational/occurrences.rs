//! What there is to say of a webhook, as an occurrence for its owner.

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_storage::webhooks::DropReason;
use gatepost_storage::{Revision, Row};
use webhook_model::{Audience, Invalid, Object, Occurrence, Webhook, WebhookId};

use crate::config::WEBHOOKS;

/// Something about a webhook. What says it once, whichever process says it, is in its id: with the
/// last success before it, one trouble; with a revision, one edit; with an hour, that hour.
#[derive(Clone, Copy, Debug)]
pub(super) enum About<'a> {
    Failing {
        /// The last success before that.
        sent: Option<DateTime<Utc>>,
        reason: &'a str,
        since: DateTime<Utc>,
    },
    Recovered {
        /// As when it was reported as failing.
        sent: Option<DateTime<Utc>>,
        since: DateTime<Utc>,
    },
    Disabled {
        revision: Revision,
        reason: &'a str,
    },
    Exhausted {
        hour: DateTime<Utc>,
        reason: &'a str,
        count: u64,
    },
    Rejected {
        hour: DateTime<Utc>,
        reason: DropReason,
        count: u64,
    },
}

impl About<'_> {
    pub(super) fn of(self, row: &Row<WebhookId, Webhook>) -> Result<Occurrence, Invalid> {
        let (event, once, said) = match self {
            Self::Failing {
                sent,
                reason,
                since,
            } => (
                "failing",
                number(sent),
                vec![("REASON", reason.to_owned()), ("SINCE", moment(since))],
            ),
            Self::Recovered { sent, since } => {
                ("recovered", number(sent), vec![("SINCE", moment(since))])
            }
            Self::Disabled { revision, reason } => {
                ("disabled", revision.0, vec![("REASON", reason.to_owned())])
            }
            Self::Exhausted {
                hour,
                reason,
                count,
            } => (
                "exhausted",
                hour.timestamp(),
                vec![("REASON", reason.to_owned()), ("COUNT", count.to_string())],
            ),
            Self::Rejected {
                hour,
                reason,
                count,
            } => (
                "rejected",
                hour.timestamp(),
                vec![
                    ("REASON", reason.as_str().to_owned()),
                    ("COUNT", count.to_string()),
                ],
            ),
        };
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

    use gatepost_storage::Revision;
    use webhook_model::Catalog;

    use super::*;
    use crate::config::OperationalEvents;
    use crate::operational::with_own_types;
    use crate::testing::{noon, webhook};

    #[test]
    fn each_brings_what_the_catalog_says_and_is_for_the_owner() {
        let catalog = with_own_types(Catalog::default(), OperationalEvents::all()).unwrap();
        let value = webhook(|webhook| webhook.name = "ops".parse().unwrap());
        let row = Row {
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
            About::Failing {
                sent: None,
                reason,
                since,
            },
            About::Recovered { sent: None, since },
            About::Disabled {
                revision: row.revision,
                reason,
            },
            About::Exhausted {
                hour: noon(),
                reason,
                count: 3,
            },
            About::Rejected {
                hour: noon(),
                reason: DropReason::Rate,
                count: 3,
            },
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
