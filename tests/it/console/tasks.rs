//! The pages of tasks and events (SPEC 2.3, SPEC 2.4), without a browser.

use examples::receiver::Receiver;
use tests::browser::form_input::{
    ON_MACHINE, new_event, new_task, new_webhook, visited_with_webhook,
};
use tests::browser::{Site, Visitor};
use tests::world::poweron;

const TASK: &str = "/console/tasks/new";

#[tokio::test]
async fn console_pages_suffice_for_first_delivered_message() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    assert!(ulf.get("/console/").await.has("Start here: New webhook"));
    new_webhook(&ulf, &receiver, "0").await;
    assert!(ulf.get("/console/").await.has("Start here: New task"));
    let made = new_task(&ulf, "{\"vm\":\"${NAME}\"}", &[]).await;
    made.leads_to("/console/tasks?done=created&new=1");
    let list = ulf.follow(&made).await;
    list.shows("href=\"/console/events/new?task=1\">New event");
    assert!(ulf.get("/console/").await.has("Start here: New event"));
    new_event(&ulf, &ON_MACHINE)
        .await
        .leads_to("/console/events?done=created");
    let list = ulf.get("/console/events").await;
    list.shows_all(["Virtual Machines", "Powered on", "web-1", "tell"]);
    site.engine.emit(poweron(1, &[])).await.unwrap();
    assert_eq!(
        receiver.wait_for("/in", 1).await.unwrap().body,
        r#"{"vm":"vm-1"}"#
    );
    site.ended(1).await;
    let page = ulf.get("/console/deliveries").await;
    page.shows("#1");
    page.shows(">Delivered<");
    page.shows("chat");
    let page = ulf.get("/console/deliveries/1").await;
    page.shows_all([
        "200",
        "{&quot;vm&quot;:&quot;vm-1&quot;}",
        "<a href=\"/console/tasks/1/edit\">tell</a>",
        "Virtual Machines: Powered on",
        "web-1 (#1)",
        "msg_",
    ]);
    assert!(page.has("class=\"phases\""), "the phases of the attempt");
    // Counters are written every two seconds.
    let mut counted = false;
    for _ in 0..400 {
        counted = ulf.get("/console/webhooks/1").await.has("1 sent, 0 failed");
        if counted {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    assert!(counted);
}

#[tokio::test]
async fn the_message_editor_previews_and_warns() {
    let (site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    let preview = async |message: &str| new_task(&ulf, message, &[("do", "preview")]).await;
    let page = preview("{\"vm\":\"${NAME}\",\"at\":\"${SITE}\",\"who\":\"${USER}\"}").await;
    assert_eq!(page.status, 200);
    page.shows("{&quot;vm&quot;:&quot;web-1&quot;,&quot;at&quot;:&quot;north&quot;,&quot;who&quot;:&quot;${USER}&quot;}");
    assert!(page.has("Unknown variables are sent unchanged: ${USER}") && !page.has("is not JSON"));
    let page = preview("plain text").await;
    assert!(
        page.has("not JSON, but the webhook&#39;s Content-Type")
            || page.has("not JSON, but the webhook's Content-Type"),
        "{}",
        page.html
    );
    assert!(ulf.get(TASK).await.has("${SITE}"));
    let page = ulf
        .fill(
            TASK,
            "/console/tasks/check",
            &[("name", ""), ("webhook", "1"), ("message", "${X}")],
        )
        .await;
    let answer: serde_json::Value = serde_json::from_str(&page.html).unwrap();
    assert_eq!(answer["problems"]["name"], "Required.");
    assert_eq!(answer["hints"]["preview"], "${X}");
    assert!(site.heard().len() == 1);
}

#[tokio::test]
async fn invalid_task_or_event_shows_field_error() {
    let (_site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    for (field, wrong, rule) in [
        ("name", ("name", ""), "Required."),
        (
            "webhook",
            ("webhook", ""),
            "Choose the webhook that sends the message.",
        ),
        ("webhook", ("webhook", "77"), "This webhook does not exist."),
    ] {
        let mut fields = vec![
            ("name", "kept"),
            ("webhook", "1"),
            ("message", "typed <before>"),
        ];
        fields
            .iter_mut()
            .filter(|f| f.0 == wrong.0)
            .for_each(|f| *f = wrong);
        let page = ulf.submit(TASK, &fields).await;
        assert_eq!(
            (page.status, page.error(field).as_str()),
            (422, rule),
            "{field}"
        );
        assert!(page.has("typed &lt;before&gt;"), "{field}");
    }
    let long = "m".repeat(1024 * 1024 + 1);
    assert_eq!(
        new_task(&ulf, &long, &[]).await.error("message"),
        "Must be at most 1048576 bytes."
    );
    new_task(&ulf, "x", &[]).await;
    let of = [("event", "poweron"), ("task", "1")];
    for (field, more, rule) in [
        (
            "instance",
            vec![("target", "instance")],
            "Choose the object.",
        ),
        (
            "tag",
            vec![("target", "tag"), ("tag", "-1")],
            "Choose the tag.",
        ),
        (
            "target",
            vec![("target", "all")],
            "An object or a tag is required for this event type.",
        ),
        (
            "event",
            vec![("target", "tag"), ("tag", "1"), ("event", "exploded")],
            "Not an event of this type.",
        ),
        (
            "task",
            vec![("target", "tag"), ("tag", "1"), ("task", "9")],
            "This task does not exist.",
        ),
    ] {
        let rest = of
            .iter()
            .filter(|f| !more.iter().any(|m| m.0 == f.0))
            .copied();
        let fields: Vec<_> = rest.chain(more.iter().copied()).collect();
        let page = new_event(&ulf, &fields).await;
        assert_eq!(
            (page.status, page.error(field).as_str()),
            (422, rule),
            "{field}"
        );
    }
    // Before a type is chosen the page has a link back, and one to all types.
    let page = ulf.get("/console/events/new").await;
    assert!(page.has(">Cancel<") && page.has("/console/events/catalog"));
    // A generic type takes neither object nor tag, and its form has no fields for them.
    let page = ulf.get("/console/events/new?type=alarms").await;
    assert!(page.has("apply to the platform as a whole") && !page.has("name=\"target\""));
    let page = ulf
        .fill(
            "/console/events/new?type=alarms",
            "/console/events/new",
            &[("event", "raised"), ("task", "1")],
        )
        .await;
    page.leads_to("/console/events?done=created");
}

#[tokio::test]
async fn tasks_and_events_are_run_toggled_and_deleted() {
    let (site, ulf, receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "by ${NAME}", &[]).await;
    new_event(
        &ulf,
        &[
            ("event", "poweron"),
            ("target", "instance"),
            ("instance", "2"),
            ("task", "1"),
            ("enabled", "on"),
        ],
    )
    .await;
    let act = async |path: &str| ulf.fill("/console/tasks/new", path, &[]).await;
    act("/console/tasks/1/do/run")
        .await
        .leads_to("/console/tasks?done=ran");
    assert_eq!(receiver.wait_for("/in", 1).await.unwrap().body, "by ");
    act("/console/events/1/trigger")
        .await
        .leads_to("/console/events?done=triggered");
    assert_eq!(receiver.wait_for("/in", 2).await.unwrap().body, "by db-1");
    act("/console/events/1/do/disable").await;
    assert!(
        site.engine
            .emit(poweron(2, &[]))
            .await
            .unwrap()
            .deliveries
            .is_empty()
    );
    act("/console/events/1/do/enable").await;
    assert!(!ulf.get("/console/events").await.has("task disabled"));
    act("/console/tasks/1/do/disable").await;
    let list = ulf.get("/console/events").await;
    list.shows("task disabled");
    list.hides(">enabled<");
    assert_eq!(act("/console/tasks/1/do/run").await.status, 409);
    assert_eq!(act("/console/events/1/trigger").await.status, 409);
    assert_eq!(act("/console/tasks/1/do/explode").await.status, 404);
    act("/console/tasks/1/do/enable").await;
    // The target changes; the event itself does not.
    let page = ulf
        .submit(
            "/console/events/1/edit",
            &[
                ("event", "poweroff"),
                ("target", "tag"),
                ("tag", "2"),
                ("task", "1"),
                ("enabled", "on"),
            ],
        )
        .await;
    page.leads_to("/console/events?done=saved");
    let list = ulf.get("/console/events").await;
    assert!(list.has("Powered on") && list.has("tag database"));
    let page = ulf
        .submit(
            "/console/tasks/1/edit",
            &[
                ("name", "tell once"),
                ("webhook", "1"),
                ("message", "y"),
                ("enabled", "on"),
                ("once", "on"),
            ],
        )
        .await;
    page.leads_to("/console/tasks?done=saved");
    assert!(ulf.get("/console/tasks").await.has("one-time"));
    act("/console/tasks/1/do/run").await;
    assert!(ulf.get("/console/tasks").await.has("No tasks yet"));
    assert!(ulf.get("/console/events").await.has("No events yet"));
}

#[tokio::test]
async fn event_is_shown_under_its_form_label() {
    let (_site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "x", &[]).await;
    let fields = |label: &'static str| {
        [
            ("event", "poweron"),
            ("target", "instance"),
            ("instance", "1"),
            ("task", "1"),
            ("enabled", "on"),
            ("label", label),
        ]
    };
    let wrong = new_event(&ulf, &fields("a\u{202e}b")).await;
    assert_eq!(wrong.status, 422);
    let words = "Must not hold hidden characters such as U+202E";
    wrong.shows(words);
    let made = new_event(&ulf, &fields(" <Night> watch ")).await;
    made.leads_to("/console/events?done=created");
    let list = ulf.get("/console/events").await;
    list.shows("&lt;Night&gt; watch (Powered on)");
    let found = ulf.get("/console/events?search=night").await;
    found.shows("watch (Powered on)");
    let edit = ulf.get("/console/events/1/edit").await;
    edit.shows("value=\"&lt;Night&gt; watch\"");
    let cleared = ulf.submit("/console/events/1/edit", &fields("")).await;
    cleared.leads_to("/console/events?done=saved");
    assert!(!ulf.get("/console/events").await.has("watch"));
}

#[tokio::test]
async fn waiting_deliveries_of_task_are_cancelled_after_confirmation() {
    let (site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "x", &[]).await;
    let act = async |path: &str| ulf.fill("/console/tasks/new", path, &[]).await;
    act("/console/webhooks/1/do/pause").await;
    act("/console/tasks/1/do/run").await;
    act("/console/tasks/1/do/run").await;
    let edit = ulf.get("/console/tasks/1/edit").await;
    edit.shows("href=\"/console/tasks/1/cancel\"");
    let asked = ulf.get("/console/tasks/1/cancel").await;
    asked.shows("tell");
    asked.shows("Keep deliveries");
    let done = ulf.submit("/console/tasks/1/cancel", &[]).await;
    done.leads_to("/console/tasks?done=cancelled");
    for delivery in [1, 2] {
        let page = ulf.get(&format!("/console/deliveries/{delivery}")).await;
        page.shows("cancelled");
    }
    let again = ulf.submit("/console/tasks/1/cancel", &[]).await;
    again.leads_to("/console/tasks?done=nothing");
    let vera = Visitor::login(&site, "vera").await;
    assert_eq!(vera.get("/console/tasks/1/cancel").await.status, 404);
}
