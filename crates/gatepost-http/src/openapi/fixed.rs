//! Operations in addition to the tables.

use gatepost_manage::MAX_TOGETHER;
use serde_json::{Map, Value, json};

use super::operation::{Operation, key, list_of, number, reference, text};
use super::schemas::input;
use crate::resources::LEAKED;
use crate::resources::subscriptions::{EVENT, EVENTS, MEMBERS};

/// The tag of operations without a table.
pub(super) const SYSTEM: &str = "system";

pub(super) fn add(paths: &mut Map<String, Value>) {
    paths.insert("/system".into(), json!({"get": system()}));
    paths.insert("/limits".into(), json!({"get": limits()}));
    paths.insert("/whoami".into(), json!({"get": whoami()}));
    paths.insert("/leaked_keys".into(), json!({"post": leaked_keys()}));
    paths.insert("/user_api_key_uses".into(), json!({"get": key_uses()}));
    paths.insert("/webhook_counts".into(), json!({"get": webhook_counts()}));
    let rejected = json!({"get": rejected_deliveries()});
    paths.insert("/rejected_deliveries".into(), rejected);
    paths.insert("/subscriptions".into(), json!({"post": subscriptions()}));
    let messages = json!({"parameters": [key()], "get": messages()});
    paths.insert("/webhook_urls/{key}/messages".into(), messages);
}

fn system() -> Value {
    Operation::new(SYSTEM, "system", "Reads what runs here", "The login probe with which clients begin: versions, and the name of the platform, in a list of one row.")
        .parameters(json!([fields()]))
        .answers("200", &list_of("System"), "401 403 422 429 500 503")
}

fn limits() -> Value {
    let user = number("user", "The user; the caller, without.");
    Operation::new(SYSTEM, "limits", "Reads how much of each limit is used", "The caller's own limits, or those of a user that the caller administers. An addition to the v4 wire.")
        .parameters(json!([user, fields()]))
        .answers("200", &list_of("Limits"), "401 403 404 422 429 500 503")
}

fn whoami() -> Value {
    Operation::new(SYSTEM, "whoami", "Reads who is calling", "The user, the key that is used, and what that key may do. Open to every key. An addition to the v4 wire.")
        .answers("200", &reference("WhoAmI"), "401 403 429 500 503")
}

fn leaked_keys() -> Value {
    Operation::new("user_api_keys", "leaked_keys", "Finds API keys in a text", "Which API keys are in a text, such as a commit or a log, whosever they are: for system administrators. Only a whole key that is right counts. Neither the text nor a key is kept. An addition to the v4 wire.")
        .body(&input(&LEAKED), true)
        .answers("200", &list_of("LeakedKey"), "400 401 403 413 422 429 500 503")
}

fn subscriptions() -> Value {
    let mut asked = input(&MEMBERS);
    asked["required"] = json!(["name", EVENTS]);
    asked["properties"][EVENTS] = json!({
        "type": "array", "minItems": 1, "maxItems": MAX_TOGETHER, "items": input(&EVENT),
        "description": "The events that run the task. No two may be about the same event of the same object, tag or type; at most 100 in all, those of `*` included.",
    });
    Operation::new("webhook_urls", "subscriptions", "Creates a webhook, a task and its events", "One request instead of one for each row. Either all rows are stored or none: if one of them is refused, so is the request. Needs a key that may change the tables `webhook_urls`, `tasks` and `task_events`. Each row counts against its limit. The webhook has the defaults of `webhook_urls`, and is changed there. An addition to the v4 wire.")
        .body(&asked, true)
        .answers("201", &reference("Subscription"), "400 401 403 409 413 422 429 500 503")
}

fn key_uses() -> Value {
    let parameters = json!([
        of("key", "The key: its row in `user_api_keys`."),
        number(
            "from",
            "Days that begin at this time or later: epoch seconds."
        ),
        number("before", "Days that begin before this time: epoch seconds."),
        fields(),
        number("limit", "The most days; 30, without; 0 for no limit."),
    ]);
    Operation::new("user_api_keys", "user_api_key_uses", "Reads how often a key was used", "By the day in UTC, newest first: how often it let its caller in, and how often it was refused although its secret was right (expired, address, used too often, owner). 400 days are kept. An addition to the v4 wire.")
        .parameters(parameters)
        .answers("200", &list_of("KeyUses"), "401 403 404 413 422 429 500 503")
}

fn webhook_counts() -> Value {
    let parameters = json!([
        of("webhook_url", "The webhook."),
        number("from", "The first hour: epoch seconds."),
        number("before", "Before this time: epoch seconds."),
        fields(),
        number("limit", "The most hours; 24, without; 0 for no limit."),
    ]);
    Operation::new(
        "webhook_urls",
        "webhook_counts",
        "Reads what became of a webhook's deliveries",
        "By the hour, newest first; kept longer than the deliveries. An addition to the v4 wire.",
    )
    .parameters(parameters)
    .answers(
        "200",
        &list_of("WebhookCounts"),
        "401 403 404 413 422 429 500 503",
    )
}

fn rejected_deliveries() -> Value {
    let parameters = json!([
        number("webhook_url", "The webhook; all, without."),
        fields(),
        number("limit", "The most counts; 100, without; 0 for no limit."),
    ]);
    Operation::new("webhook_urls", "rejected_deliveries", "Reads which deliveries were not stored", "What a limit did not let in, by webhook, reason and hour, newest first. It is not sent. An addition to the v4 wire.")
        .parameters(parameters)
        .answers("200", &list_of("RejectedDeliveries"), "401 403 404 413 422 429 500 503")
}

fn messages() -> Value {
    let mut after = text(
        "after",
        "The cursor of an earlier page: acknowledges the messages which that page had. Without, nothing is acknowledged.",
    );
    after["schema"]["maxLength"] = json!(4096);
    let mut limit = number("limit", "The most messages; 100, without.");
    limit["schema"] = json!({"type": "integer", "minimum": 1, "maximum": 100});
    Operation::new("webhook_urls", "webhook_urls_messages", "Fetches the messages that wait", "The oldest messages that wait for the receiver of a webhook whose `delivery_mode` is `fetch`, in order, and a cursor. Shown as `after` in the next request, the cursor acknowledges the messages that it came with; they are `sent` then. The same cursor again acknowledges nothing more and hands the same messages out again, so each is received at least once: `id` tells a repeated one. A page ends at 100 messages or with the one at which they come to 1 MiB. Needs a key that may change the table `webhooks`. An addition to the v4 wire.")
        .parameters(json!([after, limit]))
        .answers("200", &reference("MessagePage"), "401 403 404 409 422 429 500 503")
}

fn fields() -> Value {
    text("fields", "Columns, separated by commas.")
}

/// Describes the row of a query.
fn of(name: &str, doc: &str) -> Value {
    let mut row = number(name, doc);
    row["required"] = json!(true);
    row["schema"]["minimum"] = json!(1);
    row
}
