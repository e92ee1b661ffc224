//! The times of edits of webhooks, as they are stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use gatepost_storage::Clock as _;
use gatepost_storage::webhooks::RecordRow;
use gatepost_testkit::fault::Passing;
use webhook_model::{Activity, WebhookId};

use super::clock::VirtualClock;

/// An edit, by a user or by the platform.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit {
    /// The true time of the edit.
    pub at: DateTime<Utc>,
    /// The activity of the webhook from then on.
    pub activity: Activity,
}

/// The edits of each webhook, in the order of time.
#[derive(Debug)]
pub(super) struct Edits {
    clock: VirtualClock,
    of: Mutex<HashMap<WebhookId, Vec<Edit>>>,
}

impl Edits {
    pub(super) fn new(clock: VirtualClock) -> Self {
        Self {
            clock,
            of: Mutex::default(),
        }
    }

    /// Records the edits that pass between a process and the store.
    pub(super) fn watching(self: Arc<Self>) -> impl FnMut(&Passing<'_>) + Send + 'static {
        move |passing| {
            if let Passing::Updated(RecordRow::Webhook(row)) = passing {
                let edit = Edit {
                    at: self.clock.now(),
                    activity: row.value.activity,
                };
                self.of
                    .lock()
                    .unwrap()
                    .entry(row.id)
                    .or_default()
                    .push(edit);
            }
        }
    }

    pub(super) fn of(&self, webhook: WebhookId) -> Vec<Edit> {
        let of = self.of.lock().unwrap();
        of.get(&webhook).cloned().unwrap_or_default()
    }

    /// Returns the webhooks that are disabled now.
    pub(super) fn disabled(&self) -> Vec<WebhookId> {
        let of = self.of.lock().unwrap();
        let is_disabled = |edits: &[Edit]| {
            let last = edits.last();
            last.is_some_and(|edit| edit.activity == Activity::Disabled)
        };
        let found = of.iter().filter(|(_, edits)| is_disabled(edits));
        let mut found: Vec<_> = found.map(|(webhook, _)| *webhook).collect();
        found.sort();
        found
    }
}

/// Returns the times at which it was disabled: by the platform, because no user does that here. An
/// edit of a disabled webhook keeps it so.
pub(super) fn disablings(edits: &[Edit]) -> Vec<DateTime<Utc>> {
    let mut was = Activity::Active;
    let mut found = Vec::new();
    for edit in edits {
        if edit.activity == Activity::Disabled && was != Activity::Disabled {
            found.push(edit.at);
        }
        was = edit.activity;
    }
    found
}
