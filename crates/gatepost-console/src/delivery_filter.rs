//! The filter of deliveries, as it is kept in the address, and the query for it.

use std::borrow::Cow;

use gatepost_manage::{DeliveryMatch, FoundDeliveries};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState};
use url::form_urlencoded::Serializer;
use webhook_model::{TaskId, WebhookId};

use crate::choices::newest_rows;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::fields::Field;
use crate::form::Form;
use crate::texts::Texts;
use crate::time::{field, parse_field};

/// The maximum number of characters of an id that are compared: no id is longer.
const ID: usize = 128;
/// The maximum number of bytes of a search text.
pub(crate) const TEXT: usize = 200;
/// The classes of failed attempts: the words of the log, which filters accept as well.
const CLASSES: [&str; 12] = [
    "build",
    "connect",
    "dns",
    "protocol",
    "proxy",
    "refused",
    "reset",
    "status",
    "timeout",
    "tls",
    "token",
    "too_large",
];

/// The status of the last response.
pub(crate) const STATUS: Field = Field::number("status", 100, 599);
/// The range of times at which a delivery was queued: from the first, before the second.
pub(crate) const QUEUED: &[Field] = &[Field::date("from"), Field::date("before")];
/// The beginning of a message ID or of an occurrence's id.
pub(crate) const BY_ID: Field = Field::text("id", ID);

/// A function that returns the valid value of a field.
type Read = fn(&Form) -> Option<String>;

/// The fields of a filter, in their order in an address, each with the function that reads it. `q`
/// is a part of the message, of an id or of the result; `class` is the class of the last failed
/// attempt.
const FIELDS: [(&str, Read); 9] = [
    ("q", |form| short(form, "q", TEXT)),
    ("webhook", |form| {
        form.key("webhook").map(|id| id.to_string())
    }),
    ("task", |form| form.key("task").map(|id| id.to_string())),
    ("state", |form| {
        let state = DeliveryState::from_word(form.text("state"))?;
        Some(state.as_str().to_owned())
    }),
    ("class", |form| class(form.text("class")).map(str::to_owned)),
    ("status", |form| {
        status(form).map(|status| status.to_string())
    }),
    ("id", |form| short(form, "id", ID)),
    ("from", |form| time(form, "from")),
    ("before", |form| time(form, "before")),
];

/// A filter of deliveries: a delivery matches if all fields that are set match.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeliveryFilter(Form);

impl DeliveryFilter {
    /// Parses a filter. An invalid value is ignored: the page shows the fields that were
    /// understood.
    pub(crate) fn parse(query: &Form) -> Self {
        let known = FIELDS
            .iter()
            .filter_map(|(name, read)| Some((name, read(query)?)));
        Self(known.fold(Form::default(), |form, (name, value)| {
            form.with(name, value)
        }))
    }

    /// Returns the filter for the deliveries of a webhook.
    pub(crate) fn of_webhook(webhook: WebhookId) -> Self {
        Self(Form::default().with("webhook", webhook.to_string()))
    }

    /// Restricts the filter to the state with this name; an empty name is any state.
    pub(crate) fn of_state(self, word: &str) -> Self {
        Self::parse(&self.0.with("state", word))
    }

    /// Returns the fields of the filter.
    pub(crate) fn form(&self) -> &Form {
        &self.0
    }

    /// Whether this field is set.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.0.given(field).is_some()
    }

    pub(crate) fn state(&self) -> Option<DeliveryState> {
        DeliveryState::from_word(self.0.text("state"))
    }

    /// Returns the filter as a query string.
    pub(crate) fn to_query(&self) -> String {
        let mut query = Serializer::new(String::new());
        query.extend_pairs(self.0.iter());
        query.finish()
    }

    /// Returns the newest deliveries, at most `limit`. A webhook or a task that the caller may not
    /// see is not found.
    pub(crate) async fn newest(
        &self,
        ctx: &PageContext,
        limit: u32,
    ) -> Result<Vec<Delivery>, Failure> {
        Ok(self.found(ctx, newest_rows(limit)).await?.rows)
    }

    /// Returns one page of deliveries; fewer if the query reached its limit.
    pub(crate) async fn found(
        &self,
        ctx: &PageContext,
        page: Page<DeliveryId>,
    ) -> Result<FoundDeliveries, Failure> {
        let form = &self.0;
        let webhook = form.key("webhook").map(WebhookId);
        if let Some(webhook) = webhook {
            ctx.actor.webhook(webhook).await?;
        }
        let query = DeliveryQuery {
            webhook,
            task: form.key("task").map(TaskId),
            states: self.state().into_iter().collect(),
            class: form.given("class").map(str::to_owned),
            created_from: parse_field(form.text("from")),
            created_before: parse_field(form.text("before")),
            ..DeliveryQuery::all(page)
        };
        let mut wanted = DeliveryMatch::default();
        wanted.status = status(form);
        wanted.id = form.given("id").map(str::to_owned);
        wanted.text = form.given("q").map(str::to_owned);
        Ok(ctx.actor.find_deliveries(&query, &wanted).await?)
    }
}

fn short(form: &Form, name: &str, most: usize) -> Option<String> {
    let text = form.word(name);
    (!text.is_empty() && text.len() <= most).then(|| text.to_owned())
}

fn status(form: &Form) -> Option<u16> {
    let status = form.text("status").parse().ok()?;
    (100..=599).contains(&status).then_some(status)
}

fn time(form: &Form, name: &str) -> Option<String> {
    parse_field(&form.date(name)).map(field)
}

/// Returns the class with this name, if there is one.
pub(crate) fn class(word: &str) -> Option<&'static str> {
    CLASSES.into_iter().find(|class| *class == word)
}

/// Returns the name of an attempt's class, or the word itself if it has no name.
pub(crate) fn class_name<'a>(texts: &'a Texts, class: &'a str) -> Cow<'a, str> {
    let name = format!("deliveries-class-{}", class.replace('_', "-"));
    texts.find(&name).unwrap_or(class.into())
}

/// Returns the classes to choose from, after the choice that does not filter.
pub(crate) fn classes(texts: &Texts) -> Vec<(String, String)> {
    let all = texts.of("deliveries-filter-all").into_owned();
    let named = |class: &str| (class.to_owned(), class_name(texts, class).into_owned());
    let classes = CLASSES.into_iter().map(named);
    std::iter::once((String::new(), all))
        .chain(classes)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(query: &str) -> DeliveryFilter {
        DeliveryFilter::parse(&Form::parse(query.as_bytes()))
    }

    #[test]
    fn an_address_says_the_same_filter_again() {
        let query = "q=%C3%A9+%26+%22&webhook=1&task=2&state=error&class=timeout&status=502&id=a%26b%3D%2B&from=2026-11-22T18%3A30&before=2026-11-22T19%3A30";
        assert_eq!(filter(query).to_query(), query);
        assert_eq!(filter("").to_query(), "");
    }

    #[test]
    fn invalid_delivery_filter_is_ignored() {
        let wrong = "webhook=x&task=-&state=ended&class=ok&status=99&id=%20&from=today&before=x";
        assert_eq!(filter(wrong).to_query(), "");
        let long = format!("id={}", "x".repeat(ID + 1));
        assert_eq!(filter(&long).to_query(), "");
        let long = format!("q={}", "x".repeat(TEXT + 1));
        assert_eq!(filter(&long).to_query(), "");
    }

    #[test]
    fn a_time_may_have_a_zone() {
        let zoned = filter("from=2026-11-22T18:30:00%2B01:00");
        assert_eq!(zoned.to_query(), "from=2026-11-22T17%3A30");
    }

    #[test]
    fn each_class_has_a_name() {
        let texts = Texts::english();
        for class in CLASSES {
            // A class without a name would be returned as the word itself, at the same memory
            // address.
            let name = class_name(&texts, class);
            assert!(!std::ptr::eq(class.as_ptr(), name.as_ptr()), "{class}");
        }
        assert_eq!(class_name(&texts, "other"), "other");
    }
}
