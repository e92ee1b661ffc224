//! Timeout, retries, rate and order of a webhook, as they are typed.

use webhook_model::{DeliveryOrder, RateLimit, Retries, Timeout, Webhook};

use crate::form::Form;
use crate::problems::{Problems, rule};

const WHOLE: &str = "must be a whole number";

/// How fast and how often a webhook sends.
#[derive(Default)]
pub(in crate::webhooks) struct LimitFields {
    pub timeout: String,
    pub retries: String,
    pub rate: String,
    pub in_order: bool,
}

impl LimitFields {
    pub(super) fn sent(form: &Form) -> Self {
        let text = |name| form.text(name).to_owned();
        Self {
            timeout: text("timeout"),
            retries: text("retries"),
            rate: text("rate"),
            in_order: form.ticked("in_order"),
        }
    }

    pub(super) fn of(webhook: &Webhook) -> Self {
        Self {
            timeout: webhook.timeout.as_secs().to_string(),
            retries: webhook.retries.get().to_string(),
            rate: webhook
                .rate
                .map_or_else(String::new, |rate| rate.get().to_string()),
            in_order: webhook.order == DeliveryOrder::InOrder,
        }
    }

    pub(super) fn timeout(&self, problems: &mut Problems) -> Option<Timeout> {
        let timeout = number(&self.timeout).and_then(|n| Timeout::try_from(n).map_err(rule));
        problems.take("timeout", timeout)
    }

    pub(super) fn retries(&self, problems: &mut Problems) -> Option<Retries> {
        let retries = number(&self.retries).and_then(|n| Retries::try_from(n).map_err(rule));
        problems.take("retries", retries)
    }

    /// `Some(None)` for no limit.
    pub(super) fn rate(&self, problems: &mut Problems) -> Option<Option<RateLimit>> {
        let rate = match self.rate.trim() {
            "" => Ok(None),
            rate => rate
                .parse()
                .map_err(|_| WHOLE.to_owned())
                .and_then(|rate| RateLimit::per_second(rate).map(Some).map_err(rule)),
        };
        problems.take("rate", rate)
    }

    pub(super) fn order(&self) -> DeliveryOrder {
        if self.in_order {
            DeliveryOrder::InOrder
        } else {
            DeliveryOrder::Unordered
        }
    }
}

fn number(text: &str) -> Result<i64, String> {
    text.trim().parse().map_err(|_| WHOLE.to_owned())
}
