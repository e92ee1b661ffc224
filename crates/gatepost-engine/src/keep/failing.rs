//! Webhooks that answer nothing but failures: the host is told, and they are disabled if it asked
//! for that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use delivery::Attempt;
use webhook_model::{Activity, WebhookId};

use crate::engine::{Engine, Inner};
use crate::observe::Notice;
use crate::routes::Route;

/// The host is told after nothing but failures for so long, if it set no other time.
const TELL_AFTER: TimeDelta = TimeDelta::days(5);

/// Since when each webhook has failed, and whether the host was told.
#[derive(Debug, Default)]
pub(crate) struct Failing(Mutex<HashMap<WebhookId, (DateTime<Utc>, bool)>>);

impl Failing {
    /// Notes an attempt; true once when the webhook has failed for as long as `limit`.
    fn note(
        &self,
        webhook: WebhookId,
        success: bool,
        now: DateTime<Utc>,
        limit: TimeDelta,
    ) -> bool {
        let mut failing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if success {
            failing.remove(&webhook);
            return false;
        }
        let (since, told) = failing.entry(webhook).or_insert((now, false));
        let reached = !*told && now - *since >= limit;
        *told |= reached;
        reached
    }
}

impl Inner {
    /// What an attempt says of its webhook beyond the delivery itself.
    pub(crate) fn judge(self: &Arc<Self>, route: &Route, attempt: &Attempt) {
        let limit = self
            .disable
            .after_failing_for
            .and_then(|limit| TimeDelta::from_std(limit).ok());
        if self.failing.note(
            route.id,
            attempt.is_success(),
            attempt.started,
            limit.unwrap_or(TELL_AFTER),
        ) {
            self.observers.tell(Notice::Failing { webhook: route.id });
            if limit.is_some() {
                self.disable(route.id);
            }
        }
        if attempt.status == Some(410) {
            self.observers.tell(Notice::Gone { webhook: route.id });
            if self.disable.on_gone {
                self.disable(route.id);
            }
        }
    }

    fn disable(self: &Arc<Self>, webhook: WebhookId) {
        let engine = Engine {
            inner: self.clone(),
        };
        tokio::spawn(async move {
            match engine
                .edit_webhook(webhook, |w| {
                    w.activity = Activity::Disabled;
                    Ok(())
                })
                .await
            {
                Ok(_) => engine.inner.observers.tell(Notice::Disabled { webhook }),
                Err(error) => {
                    tracing::warn!(webhook = webhook.0, %error, "a webhook that fails was not disabled");
                }
            }
        });
    }
}
