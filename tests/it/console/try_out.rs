//! A task is tested or run for a chosen object; and the descriptions of the catalogue.

use std::sync::Arc;

use examples::receiver::Receiver;
use gatepost_manage::NoDirectory;
use gatepost_storage::webhooks::DeliveryId;
use serde_json::Value;
use tests::browser::form_input::{new_event, new_task, new_webhook, visited_with_webhook};
use tests::browser::{Page, Setup, Site, Visitor, text};

const TEST: &str = "/console/tasks/1/test";

/// Starts a site with a task whose message has a name and a variable of an event.
async fn site(more: &[(&str, &str)]) -> (Site, Visitor, Receiver) {
    let (site, ulf, receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "${NAME} is ${VM_ID}", more).await;
    (site, ulf, receiver)
}

#[tokio::test]
async fn test_message_about_object_is_queued_and_marked() {
    let (site, ulf, receiver) = site(&[("once", "on")]).await;
    let page = ulf.get(&format!("{TEST}?type=vms")).await;
    page.shows_all([
        "web-1",
        "db-1",
        "Powered on",
        "name=\"var.VM_ID\" value=\"1\"",
    ]);
    let about = [("event", "poweron"), ("object", "2")];
    let about = [&about[..], &[("var.VM_ID", "16"), ("name", "ignored")]].concat();
    let form = format!("{TEST}?type=vms");
    let sent = ulf.fill(&form, TEST, &about).await;
    sent.leads_to("/console/deliveries/1?done=tested");
    let received = receiver.wait_for("/in", 1).await.unwrap();
    assert_eq!(received.body, "db-1 is 16");
    let id = received.header("webhook-id").unwrap();
    assert!(id.starts_with("msg_test_"), "{id}");
    let delivery = site.ended(1).await;
    assert!(delivery.message_id.is_test());
    let page = ulf.get("/console/deliveries/1").await;
    assert!(page.has(">Test<") && page.has("db-1 is 16"));
    assert!(ulf.get("/console/deliveries").await.has(">Test<"));
    // A test does not delete the one-time task; a run does.
    assert!(ulf.get("/console/tasks").await.has("one-time"));
    let ran = ulf.fill(&form, "/console/tasks/1/do/run", &about).await;
    ran.leads_to("/console/tasks?done=ran");
    let received = receiver.wait_for("/in", 2).await.unwrap();
    assert_eq!(received.body, "db-1 is 16");
    assert!(!received.header("webhook-id").unwrap().contains("test"));
    assert!(ulf.get("/console/tasks").await.has("No tasks yet"));
}

#[tokio::test]
async fn test_message_without_event_uses_preview_name() {
    let (site, ulf, receiver) = site(&[]).await;
    ulf.fill("/console/tasks/new", "/console/tasks/1/do/disable", &[])
        .await;
    let page = ulf.get(TEST).await;
    assert!(
        page.has("value=\"web-1\"") && !page.has("Run now"),
        "it is disabled"
    );
    ulf.submit(TEST, &[("name", "web-1")]).await.expect(303);
    let received = receiver.wait_for("/in", 1).await.unwrap();
    assert_eq!(received.body, "web-1 is ${VM_ID}");
    assert!(site.engine.delivery(DeliveryId(1)).await.unwrap().is_some());
}

/// Returns the message on a page, as it would be sent.
fn shown(page: &Page) -> String {
    let preview = page.html.split("id=\"preview\"").nth(1).unwrap();
    let preview = preview.split('>').nth(1).unwrap();
    text(preview.strip_suffix("</pre").unwrap())
}

#[tokio::test]
async fn test_and_run_send_the_previewed_message() {
    let (_site, ulf, receiver) = site(&[]).await;
    let poweron = ("event", "poweron");
    for (of, message) in [("", "web-1 is ${VM_ID}"), ("?type=vms", "web-1 is 1")] {
        let opened = ulf.get(&format!("{TEST}{of}")).await;
        assert_eq!(shown(&opened), message);
        opened.shows("value=\"web-1\"");
        assert_eq!(opened.has("Unknown variables"), of.is_empty(), "{of}");
    }
    let mut sent = 0;
    for (of, typed, message) in [
        ("", &[("name", "web-1")][..], "web-1 is ${VM_ID}"),
        ("", &[("name", "")], " is ${VM_ID}"),
        ("", &[], " is ${VM_ID}"),
        ("?type=vms", &[poweron, ("name", "x")], "x is "),
        (
            "?type=vms",
            &[poweron, ("object", "2"), ("name", "x"), ("var.VM_ID", "7")],
            "db-1 is 7",
        ),
    ] {
        let form = format!("{TEST}{of}");
        let previewed = [typed, &[("do", "preview")]].concat();
        for to in [TEST, "/console/tasks/1/do/run"] {
            let page = ulf.fill(&form, to, &previewed).await;
            assert_eq!((page.status, shown(&page)), (200, message.to_owned()));
        }
        let check = ulf.fill(&form, &format!("{TEST}/check"), typed).await;
        let check: Value = serde_json::from_str(&check.html).unwrap();
        assert_eq!(check["hints"]["preview"], message);
        for to in [TEST, "/console/tasks/1/do/run"] {
            ulf.fill(&form, to, typed).await.expect(303);
            sent += 1;
            let received = receiver.wait_for("/in", sent).await.unwrap();
            assert_eq!(received.body, message, "{to}");
        }
    }
    // Errors are shown, and no message is promised.
    let form = format!("{TEST}?type=vms");
    let wrong = [("event", "poweron"), ("object", "-1"), ("do", "preview")];
    let page = ulf.fill(&form, TEST, &wrong).await;
    assert_eq!(shown(&page), "");
    assert!(!page.error("object").is_empty(), "{}", page.html);
    // A webhook's own test sends the typed name as well.
    let test = "/console/webhooks/1/test";
    let opened = ulf.get(test).await;
    opened.shows("name=\"name\" value=\"web-1\"");
    let typed = [("message", "of ${NAME}"), ("name", "web-1")];
    ulf.fill("/console/webhooks/1", test, &typed).await;
    let received = receiver.wait_for("/in", sent + 1).await.unwrap();
    assert_eq!(received.body, "of web-1");
}

#[tokio::test]
async fn tag_event_triggered_manually_has_tag_name() {
    let (_site, ulf, receiver) = site(&[]).await;
    let (form, new) = ("/console/events/new?type=vms", "/console/events/new");
    let event = [
        ("event", "poweron"),
        ("target", "tag"),
        ("tag", "2"),
        ("task", "1"),
    ];
    ulf.fill(form, new, &event).await.expect(303);
    let trigger = "/console/events/1/trigger";
    ulf.submit(trigger, &[("var.VM_ID", "7")]).await.expect(303);
    let received = receiver.wait_for("/in", 1).await.unwrap();
    assert_eq!(received.body, "database is 7");
}

#[tokio::test]
async fn trigger_asks_first_previews_and_sends_samples() {
    let (site, ulf, receiver) = site(&[]).await;
    let message = [("message", "${NAME} is ${VM_ID} of ${data.vm.name}")];
    let edited = [
        &[("name", "tell"), ("webhook", "1"), ("enabled", "on")][..],
        &message,
    ];
    ulf.submit("/console/tasks/1/edit", &edited.concat()).await;
    let target = [("target", "instance"), ("instance", "2"), ("task", "1")];
    for event in ["poweron", "poweroff"] {
        let event = [&[("event", event)][..], &target].concat();
        assert_eq!(new_event(&ulf, &event).await.status, 303);
    }
    ulf.get("/console/events")
        .await
        .shows("/console/events/1/trigger\"");
    let trigger = "/console/events/1/trigger";
    let asked = ulf.get(trigger).await;
    asked.shows_all([
        "Trigger this event?",
        "Powered on</strong> (db-1)",
        ">tell</strong>",
        "name=\"var.VM_ID\" value=\"1\"",
        "variables and data, with sample values",
        ">Trigger event</button>",
    ]);
    let mut sent = 0;
    for (typed, message) in [
        (&[("var.VM_ID", "1")][..], "db-1 is 1 of web-1"),
        (&[("var.VM_ID", "7")], "db-1 is 7 of web-1"),
        (&[], "db-1 is  of web-1"),
    ] {
        let preview = [typed, &[("do", "preview")]].concat();
        let page = ulf.submit(trigger, &preview).await;
        assert_eq!((page.status, shown(&page)), (200, message.to_owned()));
        let check = ulf.fill(trigger, &format!("{trigger}/check"), typed).await;
        let check: Value = serde_json::from_str(&check.html).unwrap();
        assert_eq!(check["hints"]["preview"], message);
        assert_eq!(receiver.received().len(), sent, "nothing is sent before");
        let done = ulf.submit(trigger, typed).await;
        done.leads_to("/console/events?done=triggered");
        sent += 1;
        let received = receiver.wait_for("/in", sent).await.unwrap();
        assert_eq!(received.body, message);
    }
    // Errors are shown, and nothing is sent.
    let long = "n".repeat(1_001);
    let page = ulf.submit(trigger, &[("var.VM_ID", &long)]).await;
    assert_eq!(page.status, 422);
    assert!(!page.error("var.VM_ID").is_empty() && page.has("Nothing was triggered."));
    // Without its task the page has no button.
    ulf.fill("/console/tasks/new", "/console/tasks/1/do/disable", &[])
        .await;
    let page = ulf.get(trigger).await;
    assert!(page.has("so the event cannot be triggered") && !page.has("primary"));
    assert_eq!(ulf.submit(trigger, &[]).await.status, 409);
    assert_eq!(receiver.received().len(), sent);
    let vera = Visitor::login(&site, "vera").await;
    assert_eq!(vera.get(trigger).await.status, 404);
}

#[tokio::test]
async fn manual_trigger_names_unknown_object_by_number() {
    let setup = Setup {
        directory: Arc::new(NoDirectory),
        ..Setup::new()
    };
    let site = setup.start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    new_task(&ulf, "of ${NAME}", &[]).await;
    for (number, target, key) in [(1, "tag", "2"), (2, "instance", "3")] {
        let event = [("event", "poweron"), ("target", target), (target, key)];
        let event = [&event[..], &[("task", "1")]].concat();
        new_event(&ulf, &event).await.expect(303);
        let trigger = format!("/console/events/{number}/trigger");
        ulf.fill("/console/tasks/new", &trigger, &[])
            .await
            .expect(303);
        let received = receiver.wait_for("/in", number).await.unwrap();
        assert_eq!(received.body, format!("of {key}"));
    }
    // A test has no name for it either.
    let about = [("event", "poweron"), ("object", "3")];
    let form = format!("{TEST}?type=vms");
    let previewed = [&about[..], &[("do", "preview")]].concat();
    let page = ulf.fill(&form, TEST, &previewed).await;
    assert_eq!(shown(&page), "of 3");
    ulf.fill(&form, TEST, &about).await;
    let received = receiver.wait_for("/in", 3).await.unwrap();
    assert_eq!(received.body, "of 3");
}

#[tokio::test]
async fn invalid_test_shows_errors_and_strangers_get_404() {
    let (_site, ulf, _receiver) = site(&[]).await;
    let long = "n".repeat(1_001);
    for (field, wrong) in [
        ("event", [("event", "exploded"), ("object", "1")]),
        ("event", [("event", "no such"), ("object", "1")]),
        ("object", [("event", "poweron"), ("object", "-1")]),
        ("name", [("event", "poweron"), ("name", &*long)]),
    ] {
        let page = ulf.fill(&format!("{TEST}?type=vms"), TEST, &wrong).await;
        assert_eq!(page.status, 422, "{field}");
        assert!(!page.error(field).is_empty(), "{field}: {}", page.html);
        assert!(page.has("Nothing was sent."), "{field}");
    }
    let vera = Visitor::login(&_site, "vera").await;
    assert_eq!(vera.get(TEST).await.status, 404);
    let page = vera
        .fill("/console/tasks/new", TEST, &[("name", "x")])
        .await;
    assert_eq!(page.status, 404);
}

#[tokio::test]
async fn catalogue_describes_events_and_editor_offers_variables() {
    let (_site, ulf, _receiver) = site(&[]).await;
    let page = ulf.get("/console/events/catalog").await;
    page.shows_all([
        "Virtual Machines",
        "poweron",
        "was switched on",
        "${VM_ID}",
        "web-1",
        "JSON Schema of the data",
    ]);
    let of = |id: &str| {
        page.html
            .split(id)
            .nth(1)
            .unwrap()
            .split("</section>")
            .next()
    };
    assert!(of("type-vms").unwrap().contains("Sample values"));
    assert!(!of("type-alarms").unwrap().contains("Sample values"));
    let page = ulf.get("/console/tasks/new").await;
    assert!(page.has("data-insert=\"${NAME}\"") && page.has("data-insert=\"${VM_ID}\""));
    assert!(page.has("Object type") && page.has(">Send</option>"));
    let page = new_task(&ulf, "${NAME} is ${VM_ID}", &[("do", "preview")]).await;
    assert_eq!(shown(&page), "web-1 is 1");
    page.hides("Unknown variables");
    let page = ulf.get("/console/events/new?type=vms").await;
    page.shows("was switched on");
}
