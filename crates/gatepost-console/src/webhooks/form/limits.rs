//! Timeout, retries, rate, channels and order of a webhook, as they are typed.

use std::str::FromStr;

use webhook_model::{
    Channels, DeliveryOrder, RateLimit, Retries, RetrySchedule, Timeout, Webhook, trim_pasted,
};

use crate::form::Form;
use crate::problems::{Problems, rule};
use crate::texts::Texts;

/// How fast and how often a webhook sends.
#[derive(Default)]
pub(in crate::webhooks) struct LimitFields {
    pub timeout: String,
    pub retries: String,
    pub retry_schedule: String,
    pub channels: String,
    pub rate: String,
    pub in_order: bool,
}

impl LimitFields {
    pub(super) fn sent(form: &Form) -> Self {
        let text = |name| form.text(name).to_owned();
        Self {
            timeout: text("timeout"),
            retries: text("retries"),
            retry_schedule: text("retry_schedule"),
            channels: text("channels"),
            rate: text("rate"),
            in_order: form.ticked("in_order"),
        }
    }

    pub(super) fn of(webhook: &Webhook) -> Self {
        Self {
            timeout: webhook.timeout.as_secs().to_string(),
            retries: webhook.retries.get().to_string(),
            retry_schedule: webhook
                .retry_schedule
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            channels: webhook.channels.to_string(),
            rate: webhook
                .rate
                .map_or_else(String::new, |rate| rate.get().to_string()),
            in_order: webhook.order == DeliveryOrder::InOrder,
        }
    }

    pub(super) fn timeout(&self, texts: &Texts, problems: &mut Problems) -> Option<Timeout> {
        let timeout =
            number(texts, &self.timeout).and_then(|n: i64| Timeout::try_from(n).map_err(rule));
        problems.take("timeout", timeout)
    }

    pub(super) fn retries(&self, texts: &Texts, problems: &mut Problems) -> Option<Retries> {
        let retries =
            number(texts, &self.retries).and_then(|n: i64| Retries::try_from(n).map_err(rule));
        problems.take("retries", retries)
    }

    /// `Some(None)` for the platform's own.
    pub(super) fn retry_schedule(&self, problems: &mut Problems) -> Option<Option<RetrySchedule>> {
        let schedule = match trim_pasted(&self.retry_schedule) {
            "" => Ok(None),
            schedule => schedule.parse().map(Some).map_err(rule),
        };
        problems.take("retry_schedule", schedule)
    }

    pub(super) fn channels(&self, problems: &mut Problems) -> Option<Channels> {
        problems.take("channels", self.channels.parse().map_err(rule))
    }

    /// `Some(None)` for no limit.
    pub(super) fn rate(&self, texts: &Texts, problems: &mut Problems) -> Option<Option<RateLimit>> {
        let rate = match trim_pasted(&self.rate) {
            "" => Ok(None),
            rate => number(texts, rate)
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

fn number<N: FromStr>(texts: &Texts, typed: &str) -> Result<N, String> {
    let number = trim_pasted(typed).parse();
    number.map_err(|_| texts.of("webhooks-problem-whole-number").into_owned())
}
