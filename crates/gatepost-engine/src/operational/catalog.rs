//! The types and events that are offered in addition to those of the platform.

use webhook_model::{Catalog, CatalogBuilder, EventNotes, Invalid, Specificity};

use crate::config::{KEYS, OperationalEvents, WEBHOOKS};
use crate::error::StartError;

/// Events of a type, each with its label, and when it happens.
type Events = [(&'static str, &'static str, &'static str)];
/// Variables of an event: name, meaning, sample.
type Variables = &'static [(&'static str, &'static str, &'static str)];

const OF_WEBHOOKS: &Events = &[
    (
        "failing",
        "Failing",
        "A delivery of a webhook was given up, or its attempts have done nothing but fail for ten \
         minutes. Once until it recovers, and at most once an hour.",
    ),
    (
        "recovered",
        "Recovered",
        "A webhook that was reported as failing delivers again.",
    ),
    (
        "disabled",
        "Disabled",
        "A webhook was disabled, by a user or by the platform.",
    ),
    (
        "exhausted",
        "Deliveries given up",
        "Deliveries of a webhook failed in their last attempt. At most once an hour for a webhook, \
         with how many they were.",
    ),
    (
        "rejected",
        "Deliveries not stored",
        "Deliveries of a webhook were not stored because a limit was reached, and are not sent. At \
         most once an hour for a webhook, with how many they were.",
    ),
];
const OF_KEYS: &Events = &[
    ("created", "Created", "An API key was created."),
    (
        "expiring",
        "Expiring",
        "An API key expires in 14 days, in 3 days, or has just expired.",
    ),
    ("deleted", "Deleted", "An API key was deleted."),
    (
        "leaked",
        "Leaked",
        "An API key was found in a text where it does not belong. At most once an hour for a key.",
    ),
    (
        "refused_address",
        "Used from a forbidden address",
        "An API key was presented from an address that its lists do not allow. At most once an \
         hour for a key.",
    ),
];

const WEBHOOK: (&str, &str, &str) = ("WEBHOOK", "The row number of the webhook", "7");
const REASON: (&str, &str, &str) = (
    "REASON",
    "The last failure",
    "the target responded with status 503",
);
const SINCE: (&str, &str, &str) = (
    "SINCE",
    "Since when it has done nothing but fail",
    "2026-11-23T09:30:00Z",
);
const LIMIT: (&str, &str, &str) = (
    "REASON",
    "Which limit was reached: waiting, occurrence or rate",
    "waiting",
);
const COUNT: (&str, &str, &str) = ("COUNT", "How many since the last notice", "3");
const KEY: (&str, &str, &str) = ("KEY", "The row number of the key", "12");
const MASKED: (&str, &str, &str) = ("MASKED", "The masked form of the key", "gp_…x7Qz");

/// Returns the platform's catalog with our types.
///
/// # Errors
/// [`StartError::TypeTaken`]: the platform has its own type of that name.
pub(crate) fn with_own_types(
    catalog: Catalog,
    own: OperationalEvents,
) -> Result<Catalog, StartError> {
    let mut catalog = catalog;
    for (wanted, name, label, events) in [
        (own.webhooks, WEBHOOKS, "Webhooks", OF_WEBHOOKS),
        (own.keys, KEYS, "API Keys", OF_KEYS),
    ] {
        if !wanted {
            continue;
        }
        if catalog.types().any(|(taken, ..)| taken.as_str() == name) {
            return Err(StartError::TypeTaken(name));
        }
        let added = add(catalog.into_builder(), name, label, events);
        catalog = added.map_err(|_| StartError::TypeTaken(name))?.build();
    }
    Ok(catalog)
}

fn add(
    catalog: CatalogBuilder,
    name: &str,
    label: &str,
    events: &Events,
) -> Result<CatalogBuilder, Invalid> {
    let labels: Vec<_> = events
        .iter()
        .map(|(name, label, _)| (*name, *label))
        .collect();
    let mut catalog = catalog.event_type(name, label, Specificity::Generic, &labels)?;
    for (event, _, description) in events {
        if is_user_caused(name, event) {
            catalog = catalog.user_caused(name, event)?;
        }
        let object = if name == KEYS {
            "deploy"
        } else {
            "Deploys to #ops"
        };
        let mut notes = EventNotes::new(*description).with_object(object);
        for (variable, says, sample) in variables(name, event) {
            notes = notes.with_variable(variable, *says, *sample)?;
        }
        catalog = catalog.notes(name, event, notes)?;
    }
    Ok(catalog)
}

/// Whether users cause it. The engine emits the others, at a rate that no user sets.
fn is_user_caused(of: &str, event: &str) -> bool {
    matches!(
        (of, event),
        (WEBHOOKS, "disabled") | (KEYS, "created" | "deleted")
    )
}

fn variables(of: &str, event: &str) -> Variables {
    match (of, event) {
        (WEBHOOKS, "failing") => &[WEBHOOK, REASON, SINCE],
        (WEBHOOKS, "recovered") => &[WEBHOOK, SINCE],
        (WEBHOOKS, "disabled") => &[WEBHOOK, ("REASON", "Why it was disabled", "manually")],
        (WEBHOOKS, "rejected") => &[WEBHOOK, LIMIT, COUNT],
        (WEBHOOKS, _) => &[WEBHOOK, REASON, COUNT],
        (_, "expiring") => &[
            KEY,
            MASKED,
            ("EXPIRES", "When it expires", "2026-12-07T00:00:00Z"),
            ("DAYS", "14, 3, or 0 once it has expired", "14"),
        ],
        (_, "refused_address") => &[
            KEY,
            MASKED,
            ("ADDRESS", "From where it was presented last", "203.0.113.7"),
            ("COUNT", "How often since the last notice", "1"),
        ],
        _ => &[KEY, MASKED],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operational_event_has_description_and_variables() {
        let catalog = with_own_types(Catalog::default(), OperationalEvents::all()).unwrap();
        let mut events = 0;
        for (of, _, specificity) in catalog.types() {
            assert_eq!(specificity, Specificity::Generic);
            for (event, _) in catalog.events(of) {
                let notes = catalog.notes(of, event).unwrap();
                assert!(notes.description().ends_with('.'), "{of} {event}");
                assert!(notes.variables().count() >= 2, "{of} {event}");
                events += 1;
            }
        }
        assert_eq!(events, OF_WEBHOOKS.len() + OF_KEYS.len());
    }

    #[test]
    fn only_event_types_taken_by_platform_are_refused() {
        let own = |name| {
            let builder = Catalog::builder();
            let builder = builder.event_type(name, "Own", Specificity::Generic, &[("a", "A")]);
            builder.unwrap().build()
        };
        let taken = with_own_types(own(WEBHOOKS), OperationalEvents::all());
        assert!(matches!(taken, Err(StartError::TypeTaken(WEBHOOKS))));
        let keys_alone = OperationalEvents::default().with_keys(true);
        assert!(with_own_types(own(WEBHOOKS), keys_alone).is_ok());
        let beside = with_own_types(own("vms"), OperationalEvents::all()).unwrap();
        assert_eq!(beside.types().count(), 3);
    }
}
