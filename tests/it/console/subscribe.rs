//! A subscription in one form from the page of a webhook.

use std::sync::Arc;

use gatepost_engine::{Decision, PolicyAnswer, PolicyQuestion, SubscriptionPolicy};
use tests::browser::form_input::{hook, visited_with_webhook};
use tests::browser::{Setup, Site, Visitor};
use tests::world::poweron;
use tokio::sync::watch;
use webhook_model::{EventId, OwnerId};

const FORM: &str = "/console/webhooks/1/subscribe?type=vms";
const PATH: &str = "/console/webhooks/1/subscribe";

/// Returns the form for one machine, with these fields replaced or added.
fn filled<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let own = [
        ("event", "poweron"),
        ("target", "instance"),
        ("instance", "1"),
        ("name", "tell"),
        ("message", "{\"vm\":\"${NAME}\"}"),
    ];
    let own = own
        .iter()
        .filter(|(name, _)| !more.iter().any(|(other, _)| name == other));
    own.chain(more).copied().collect()
}

#[tokio::test]
async fn subscription_form_creates_task_and_event_and_delivers() {
    let (site, ulf, receiver) = visited_with_webhook("ulf", "0").await;
    assert!(ulf.get("/console/webhooks/1").await.has(PATH));
    assert!(ulf.get(PATH).await.has("Subscribe") && !ulf.get(PATH).await.has("name=\"message\""));
    let form = ulf.get(FORM).await;
    form.shows("value=\"Virtual Machines\"");
    let page = ulf.fill(FORM, PATH, &filled(&[("do", "preview")])).await;
    assert_eq!(page.status, 200);
    page.shows("{&quot;vm&quot;:&quot;web-1&quot;}");
    let made = ulf.fill(FORM, PATH, &filled(&[])).await;
    made.leads_to("/console/webhooks/1?done=subscribed");
    assert!(ulf.follow(&made).await.has("The subscription was created."));
    site.engine.emit(poweron(1, &[])).await.unwrap();
    let request = receiver.wait_for("/in", 1).await.unwrap();
    assert_eq!(request.body, r#"{"vm":"vm-1"}"#);
}

#[tokio::test]
async fn invalid_subscription_shows_field_error_and_creates_nothing() {
    let (_site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    for (field, typed) in [
        ("name", &[("name", "")][..]),
        ("event", &[("event", "")]),
        ("event", &[("event", "exploded")]),
        ("instance", &[("instance", "")]),
        ("tag", &[("target", "tag")]),
        ("target", &[("target", "all")]),
        ("filter", &[("filter", "{")]),
    ] {
        let page = ulf.fill(FORM, PATH, &filled(typed)).await;
        assert_eq!(page.status, 422, "{typed:?}");
        assert!(!page.error(field).is_empty(), "{typed:?}: {}", page.html);
        let checked = ulf
            .fill(FORM, &format!("{PATH}/check"), &filled(typed))
            .await;
        let checked: serde_json::Value = serde_json::from_str(&checked.html).unwrap();
        assert!(
            checked["problems"][field].is_string(),
            "{typed:?}: {checked}"
        );
    }
    assert!(ulf.get("/console/tasks").await.has("No tasks yet"));
    assert_eq!(ulf.get("/console/webhooks/9/subscribe").await.status, 404);
}

#[tokio::test]
async fn webhook_with_ticked_events_is_created_atomically() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let new = "/console/webhooks/new";
    let page = ulf.get(new).await;
    let offered = page.html.matches("name=\"when\"").count();
    assert!(offered > 0 && !page.has("value=\"vms/"), "{}", page.html);
    let value = page.html.split("name=\"when\" value=\"").nth(1).unwrap();
    let value = value.split('"').next().unwrap();
    let ticked = [("when", value)];
    let refused = hook("ftp://example.com", &ticked);
    let refused = ulf.submit(new, &refused).await;
    assert_eq!(refused.status, 422);
    let kept = format!("name=\"when\" value=\"{value}\" checked");
    refused.shows(&kept);
    let made = ulf.submit(new, &hook("http://127.0.0.1:9/", &ticked)).await;
    made.leads_to("/console/webhooks/1?done=subscribed");
    let page = ulf.get("/console/webhooks/1").await;
    page.shows("/console/tasks/1/edit");
    let event = site.engine.event(EventId(1)).await.unwrap().unwrap().value;
    assert_eq!(format!("{}/{}", event.event_type, event.event), value);
    let task = site.engine.task(event.task).await.unwrap().unwrap();
    assert_eq!(task.value.name.as_str(), "chat");
}

/// A platform that answers its first question after the second has arrived.
#[derive(Debug)]
struct InPairs(watch::Sender<usize>);

impl SubscriptionPolicy for InPairs {
    fn may_receive<'a>(
        &'a self,
        _: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a> {
        PolicyAnswer::later(async move {
            self.0.send_modify(|asked| *asked += 1);
            let mut asked = self.0.subscribe();
            let _ = asked.wait_for(|asked| *asked > 1).await;
            Ok(vec![Decision::Yes; owners.len()])
        })
    }
}

#[tokio::test]
async fn platform_is_asked_about_form_events_concurrently() {
    let new = "/console/webhooks/new";
    let mut offered = Vec::new();
    let in_pairs = Setup {
        watch: Arc::new(InPairs(watch::channel(0).0)),
        ..Setup::new()
    };
    for setup in [Setup::new(), in_pairs] {
        let site = setup.start().await;
        let page = Visitor::login(&site, "ulf").await.get(new).await;
        offered.push(page.html.matches("name=\"when\"").count());
    }
    assert!(offered[0] > 1, "{offered:?}");
    assert_eq!(offered[0], offered[1]);
}
