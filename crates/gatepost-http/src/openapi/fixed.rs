//! Operations in addition to the tables.

use gatepost_manage::MAX_TOGETHER;
use serde_json::{Map, Value, json};

use super::operation::{About, body, key, list_of, operation, query, reference, responses};
use super::schemas::object;
use crate::resources::subscriptions::{EVENT, EVENTS, MEMBERS};

/// The tag of operations without a table.
pub(super) const SYSTEM: &str = "system";

pub(super) fn add(paths: &mut Map<String, Value>) {
    paths.insert("/system".into(), system());
    paths.insert("/limits".into(), limits());
    paths.insert("/whoami".into(), whoami());
    paths.insert("/leaked_keys".into(), leaked_keys());
    paths.insert("/user_api_key_uses".into(), key_uses());
    paths.insert("/webhook_counts".into(), webhook_counts());
    paths.insert("/rejected_deliveries".into(), rejected_deliveries());
    paths.insert("/subscriptions".into(), subscriptions());
    paths.insert("/webhook_urls/{key}/messages".into(), messages());
}

fn system() -> Value {
    let about = About {
        tag: SYSTEM,
        id: "system",
        summary: "Reads what runs here",
        description: "The login probe with which clients begin: versions, and the name of the platform, in a list of one row.",
    };
    let answers = responses(
        &[("200", list_of("System"))],
        &["401", "403", "422", "429", "500", "503"],
    );
    json!({"get": operation(&about, [("parameters", json!([fields()])), ("responses", answers)])})
}

fn limits() -> Value {
    let about = About {
        tag: SYSTEM,
        id: "limits",
        summary: "Reads how much of each limit is used",
        description: "The caller's own limits, or those of a user that the caller administers. An addition to the v4 wire.",
    };
    let parameters = json!([
        query("user", "integer", "The user; the caller, without."),
        fields()
    ]);
    let answers = responses(
        &[("200", list_of("Limits"))],
        &["401", "403", "404", "422", "429", "500", "503"],
    );
    json!({"get": operation(&about, [("parameters", parameters), ("responses", answers)])})
}

fn whoami() -> Value {
    let about = About {
        tag: SYSTEM,
        id: "whoami",
        summary: "Reads who is calling",
        description: "The user, the key that is used, and what that key may do. Open to every key. An addition to the v4 wire.",
    };
    let answers = responses(
        &[("200", reference("WhoAmI"))],
        &["401", "403", "429", "500", "503"],
    );
    json!({"get": operation(&about, [("responses", answers)])})
}

fn leaked_keys() -> Value {
    let about = About {
        tag: "user_api_keys",
        id: "leaked_keys",
        summary: "Finds API keys in a text",
        description: "Which API keys are in a text, such as a commit or a log, whosever they are: for system administrators. Only a whole key that is right counts. Neither the text nor a key is kept. An addition to the v4 wire.",
    };
    let asked = json!({
        "type": "object", "required": ["text"], "additionalProperties": false,
        "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": 1_048_576, "description": "The text; at most 1 MiB and 1,000 keys."},
            "action": {"type": "string", "enum": ["report", "disable", "delete"], "description": "What becomes of the keys; their owners receive `api_keys/leaked` in any case. Without, nothing else."},
        },
    });
    let answers = responses(
        &[("200", list_of("LeakedKey"))],
        &["400", "401", "403", "413", "422", "429", "500", "503"],
    );
    json!({"post": operation(&about, [("requestBody", body(&asked, true)), ("responses", answers)])})
}

fn subscriptions() -> Value {
    let about = About {
        tag: "webhook_urls",
        id: "subscriptions",
        summary: "Creates a webhook, a task and its events",
        description: "One request instead of one for each row. Either all rows are stored or none: if one of them is refused, so is the request. Needs a key that may change the tables `webhook_urls`, `tasks` and `task_events`. Each row counts against its limit. The webhook has the defaults of `webhook_urls`, and is changed there. An addition to the v4 wire.",
    };
    let event = object(&EVENT.each_ref(), &["table", "event"]);
    let mut asked = object(&MEMBERS.each_ref(), &["name", EVENTS]);
    asked["properties"][EVENTS] = json!({
        "type": "array", "minItems": 1, "maxItems": MAX_TOGETHER, "items": event,
        "description": "The events that run the task. No two may be about the same event of the same object, tag or type; at most 100 in all, those of `*` included.",
    });
    let answers = responses(
        &[("201", reference("Subscription"))],
        &[
            "400", "401", "403", "409", "413", "422", "429", "500", "503",
        ],
    );
    json!({"post": operation(&about, [("requestBody", body(&asked, true)), ("responses", answers)])})
}

fn key_uses() -> Value {
    let about = About {
        tag: "user_api_keys",
        id: "user_api_key_uses",
        summary: "Reads how often a key was used",
        description: "By the day in UTC, newest first: how often it let its caller in, and how often it was refused although its secret was right (expired, address, used too often, owner). 400 days are kept. An addition to the v4 wire.",
    };
    let parameters = json!([
        of("key", "The key: its row in `user_api_keys`."),
        query(
            "from",
            "integer",
            "Days that begin at this time or later: epoch seconds."
        ),
        query(
            "before",
            "integer",
            "Days that begin before this time: epoch seconds."
        ),
        fields(),
        query(
            "limit",
            "integer",
            "The most days; 30, without; 0 for no limit."
        ),
    ]);
    let answers = responses(
        &[("200", list_of("KeyUses"))],
        &["401", "403", "404", "413", "422", "429", "500", "503"],
    );
    json!({"get": operation(&about, [("parameters", parameters), ("responses", answers)])})
}

fn webhook_counts() -> Value {
    let about = About {
        tag: "webhook_urls",
        id: "webhook_counts",
        summary: "Reads what became of a webhook's deliveries",
        description: "By the hour, newest first; kept longer than the deliveries. An addition to the v4 wire.",
    };
    let parameters = json!([
        of("webhook_url", "The webhook."),
        query("from", "integer", "The first hour: epoch seconds."),
        query("before", "integer", "Before this time: epoch seconds."),
        fields(),
        query(
            "limit",
            "integer",
            "The most hours; 24, without; 0 for no limit."
        ),
    ]);
    let answers = responses(
        &[("200", list_of("WebhookCounts"))],
        &["401", "403", "404", "413", "422", "429", "500", "503"],
    );
    json!({"get": operation(&about, [("parameters", parameters), ("responses", answers)])})
}

fn rejected_deliveries() -> Value {
    let about = About {
        tag: "webhook_urls",
        id: "rejected_deliveries",
        summary: "Reads which deliveries were not stored",
        description: "What a limit did not let in, by webhook, reason and hour, newest first. It is not sent. An addition to the v4 wire.",
    };
    let parameters = json!([
        query("webhook_url", "integer", "The webhook; all, without."),
        fields(),
        query(
            "limit",
            "integer",
            "The most counts; 100, without; 0 for no limit."
        ),
    ]);
    let answers = responses(
        &[("200", list_of("RejectedDeliveries"))],
        &["401", "403", "404", "413", "422", "429", "500", "503"],
    );
    json!({"get": operation(&about, [("parameters", parameters), ("responses", answers)])})
}

fn messages() -> Value {
    let about = About {
        tag: "webhook_urls",
        id: "webhook_urls_messages",
        summary: "Fetches the messages that wait",
        description: "The oldest messages that wait for the receiver of a webhook whose `delivery_mode` is `fetch`, in order, and a cursor. Shown as `after` in the next request, the cursor acknowledges the messages that it came with; they are `sent` then. The same cursor again acknowledges nothing more and hands the same messages out again, so each is received at least once: `id` tells a repeated one. A page ends at 100 messages or with the one at which they come to 1 MiB. Needs a key that may change the table `webhooks`. An addition to the v4 wire.",
    };
    let mut after = query(
        "after",
        "string",
        "The cursor of an earlier page: acknowledges the messages which that page had. Without, nothing is acknowledged.",
    );
    after["schema"]["maxLength"] = json!(4096);
    let mut limit = query("limit", "integer", "The most messages; 100, without.");
    limit["schema"] = json!({"type": "integer", "minimum": 1, "maximum": 100});
    let answers = responses(
        &[("200", reference("MessagePage"))],
        &["401", "403", "404", "409", "422", "429", "500", "503"],
    );
    let get = operation(
        &about,
        [
            ("parameters", json!([after, limit])),
            ("responses", answers),
        ],
    );
    json!({"parameters": [key()], "get": get})
}

fn fields() -> Value {
    query("fields", "string", "Columns, separated by commas.")
}

/// Describes the row of a query.
fn of(name: &str, doc: &str) -> Value {
    let mut row = query(name, "integer", doc);
    row["required"] = json!(true);
    row["schema"]["minimum"] = json!(1);
    row
}
