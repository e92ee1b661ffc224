//! The filter of the list of deliveries, as it is kept in the address.

use gatepost_storage::webhooks::DeliveryState;
use url::form_urlencoded::Serializer;
use webhook_model::{TaskId, WebhookId, trim_pasted};

use super::class::class;
use crate::delivery_list::DeliveryFilter;
use crate::form::Form;
use crate::time::{field, parse_field};

/// Characters of an id that are compared: no id is longer.
pub(super) const ID: usize = 128;
/// Bytes of a text that is searched for.
pub(super) const TEXT: usize = 200;

/// What is no filter is none: the page shows what was understood.
pub(super) fn parse(query: &Form) -> DeliveryFilter {
    let short = |name: &str, most: usize| {
        let text = trim_pasted(query.text(name));
        (!text.is_empty() && text.len() <= most).then(|| text.to_owned())
    };
    DeliveryFilter {
        webhook: query.key("webhook").map(WebhookId),
        task: query.key("task").map(TaskId),
        state: DeliveryState::from_word(query.text("state")),
        class: class(query.text("class")),
        status: status(query.text("status")),
        id: short("id", ID),
        text: short("q", TEXT),
        from: parse_field(&query.date("from")),
        before: parse_field(&query.date("before")),
    }
}

fn status(text: &str) -> Option<u16> {
    let status = text.parse().ok()?;
    (100..=599).contains(&status).then_some(status)
}

/// The filter as a query string, without order and page.
pub(super) fn to_query(filter: &DeliveryFilter) -> String {
    let mut query = Serializer::new(String::new());
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            query.append_pair(name, &value);
        }
    };
    add("q", filter.text.clone());
    add("webhook", filter.webhook.map(|id| id.to_string()));
    add("task", filter.task.map(|id| id.to_string()));
    add("state", filter.state.map(|state| state.as_str().into()));
    add("class", filter.class.map(str::to_owned));
    add("status", filter.status.map(|status| status.to_string()));
    add("id", filter.id.clone());
    add("from", filter.from.map(field));
    add("before", filter.before.map(field));
    query.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(query: &str) -> DeliveryFilter {
        parse(&Form::parse(query.as_bytes()))
    }

    #[test]
    fn an_address_says_the_same_filter_again() {
        let query = "q=%C3%A9+%26+%22&webhook=1&task=2&state=error&class=timeout&status=502&id=a%26b%3D%2B&from=2026-11-22T18%3A30&before=2026-11-22T19%3A30";
        assert_eq!(to_query(&filter(query)), query);
        assert_eq!(to_query(&filter("")), "");
    }

    #[test]
    fn what_is_no_filter_is_none() {
        let wrong = "webhook=x&task=-&state=ended&class=ok&status=99&id=%20&from=today&before=x";
        assert_eq!(to_query(&filter(wrong)), "");
        let long = format!("id={}", "x".repeat(ID + 1));
        assert_eq!(to_query(&filter(&long)), "");
        let long = format!("q={}", "x".repeat(TEXT + 1));
        assert_eq!(to_query(&filter(&long)), "");
    }

    #[test]
    fn a_time_may_have_a_zone() {
        let zoned = filter("from=2026-11-22T18:30:00%2B01:00");
        assert_eq!(to_query(&zoned), "from=2026-11-22T17%3A30");
    }
}
