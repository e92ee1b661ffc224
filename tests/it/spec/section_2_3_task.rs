//! SPEC 2.3: the fields of a task, and the variables of its message.

use webhook_model::{Action, Message, OwnerId, Task, Template, Values, WebhookId, format_date};

fn render(message: &str) -> String {
    let values = Values::new("Thu, 16 Oct 2025 11:38:07 EDT", 1_760_629_087, "vm-1");
    let mut numbers = [7, 8].into_iter();
    Template::parse(&message.parse().unwrap())
        .render(&values, || numbers.next().unwrap())
        .unwrap()
}

/// SPEC 2.3 "Name": required.
#[test]
fn spec_2_3_name_is_required() {
    assert!("".parse::<webhook_model::TaskName>().is_err());
    assert!("x".repeat(65).parse::<webhook_model::TaskName>().is_err());
    assert_eq!(
        "tell the chat"
            .parse::<webhook_model::TaskName>()
            .unwrap()
            .as_str(),
        "tell the chat"
    );
}

/// SPEC 2.3 "Description": optional.
#[test]
fn spec_2_3_description_is_optional_text() {
    assert_eq!(webhook_model::Description::default().as_str(), "");
    assert!("two\nlines".parse::<webhook_model::Description>().is_ok());
    assert!(
        "x".repeat(2049)
            .parse::<webhook_model::Description>()
            .is_err()
    );
}

/// SPEC 2.3 "Object Type", "Object", "Action": for delivery a webhook that is sent.
#[test]
fn spec_2_3_a_task_sends_a_webhook() {
    let webhook = WebhookId(2);
    let message = Message::default();
    let task = Task::new(
        OwnerId(1),
        "t".parse().unwrap(),
        Action::Send { webhook, message },
    );
    assert!(matches!(
        task.action,
        Action::Send {
            webhook: WebhookId(2),
            ..
        }
    ));
}

/// SPEC 2.3 "Message": the default is one key/value pair whose value is the string Webhook.
#[test]
fn spec_2_3_default_message() {
    let value: serde_json::Value = serde_json::from_str(Message::default().as_str()).unwrap();
    let object = value.as_object().unwrap();
    assert_eq!(object.len(), 1);
    assert_eq!(object.values().next().unwrap(), "Webhook");
}

/// SPEC 2.3 "Message": it can be edited or deleted.
#[test]
fn spec_2_3_message_is_any_text_and_may_be_empty() {
    for text in ["", "plain", "{\"a\":1}", "<xml/>", "\u{2028}🦀"] {
        assert_eq!(text.parse::<Message>().unwrap().as_str(), text);
    }
}

/// SPEC 2.3 `${DATE}`: weekday, day, month, year, time, zone abbreviation; `${TIMESTAMP}`: epoch
/// seconds; `${RANDOM}`: a randomly generated integer; `${NAME}`: the name of the object.
#[test]
fn spec_2_3_variables() {
    for (message, expected) in [
        ("at ${DATE}", "at Thu, 16 Oct 2025 11:38:07 EDT"),
        (r#"{"at":${TIMESTAMP}}"#, r#"{"at":1760629087}"#),
        ("${RANDOM},${RANDOM}", "7,8"),
        ("${NAME} and $<NAME>", "vm-1 and vm-1"),
    ] {
        assert_eq!(render(message), expected);
    }
    let now = "2025-10-16T15:38:07Z".parse().unwrap();
    let date = format_date(now, &chrono_tz::America::New_York);
    assert_eq!(date, "Thu, 16 Oct 2025 11:38:07 EDT");
}
