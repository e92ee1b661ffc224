//! The filter of an event in its form, and the data of a message in its preview.

use tests::browser::form_input::{ON_MACHINE, new_event, new_task, visited_with_webhook};
use tests::browser::{Site, Visitor};
use tests::world::poweron;
use webhook_model::{EventId, Filter};

const EDIT: &str = "/console/events/1/edit";

async fn site() -> (Site, Visitor) {
    let (site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "${data.vm.name}", &[]).await;
    (site, ulf)
}

async fn runs(site: &Site, data: &str) -> usize {
    let occurrence = poweron(1, &[]).with_data(data.parse().unwrap());
    site.engine.emit(occurrence).await.unwrap().deliveries.len()
}

#[tokio::test]
async fn event_filter_form_sets_and_clears_filter() {
    let (site, ulf) = site().await;
    let filter = [("filter", r#" {"severity": {"$in": ["high", "critical"]}} "#)];
    let made = new_event(&ulf, &[&ON_MACHINE[..], &filter].concat()).await;
    made.leads_to("/console/events?done=created");
    assert_eq!(runs(&site, r#"{"severity":"low"}"#).await, 0);
    assert_eq!(runs(&site, r#"{"severity":"high"}"#).await, 1);
    let page = ulf.get(EDIT).await;
    page.shows("&quot;$in&quot;: [");

    let cleared = [&ON_MACHINE[1..], &[("filter", "")]].concat();
    let cleared = ulf.submit(EDIT, &cleared).await;
    cleared.leads_to("/console/events?done=saved");
    assert_eq!(runs(&site, r#"{"severity":"low"}"#).await, 1);
}

#[tokio::test]
async fn invalid_event_filter_shows_field_error() {
    let (site, ulf) = site().await;
    let wrong = [("filter", r#"{"disk.free": {"$near": 1}}"#)];
    let refused = new_event(&ulf, &[&ON_MACHINE[..], &wrong].concat()).await;
    assert_eq!(refused.status, 422);
    refused.shows("At disk.free: $near is not known; use $eq");
    assert!(
        refused.has("{&quot;disk.free&quot;: {&quot;$near&quot;: 1}}"),
        "what was typed stays"
    );

    // A stored filter that a new request could no longer set.
    new_event(&ulf, &ON_MACHINE).await;
    let old = Filter::stored(r#"{"disk":["full"]}"#).unwrap();
    let edit = site.engine.edit_event(EventId(1), move |event| {
        event.filters = old.clone();
        Ok(())
    });
    edit.await.unwrap();
    let page = ulf.get(EDIT).await;
    let words = "This filter is not understood, so the event does not run its task: at disk: must not be a list";
    page.shows(words);
    assert_eq!(runs(&site, r#"{"disk":"full"}"#).await, 0);
}

#[tokio::test]
async fn the_preview_takes_the_samples_of_the_catalogue() {
    let (_site, ulf) = site().await;
    let page = ulf.get("/console/tasks/1/edit").await;
    page.shows(">web-1</pre>");
    let page = ulf.get("/console/events/catalog").await;
    page.shows("${data}");
}

#[tokio::test]
async fn delivery_page_shows_causing_event_data() {
    let (site, ulf) = site().await;
    new_event(&ulf, &ON_MACHINE).await;
    assert_eq!(runs(&site, r#"{"disk":"<b>&"}"#).await, 1);
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(1500));
    assert_eq!(runs(&site, &long).await, 1);
    let whole = ulf.get("/console/deliveries/1").await;
    assert!(whole.has("{&quot;disk&quot;:&quot;&lt;b&gt;&amp;&quot;}"));
    assert!(!whole.has("the first 1,024 bytes"));
    let cut = ulf.get("/console/deliveries/2").await;
    assert!(cut.has("xxx…") && cut.has("(the first 1,024 bytes)"));
}

#[tokio::test]
async fn event_form_sets_and_clears_context() {
    let (site, ulf) = site().await;
    let context = [("context", r#" {"room": "b-7"} "#)];
    let made = new_event(&ulf, &[&ON_MACHINE[..], &context].concat()).await;
    made.leads_to("/console/events?done=created");
    let stored = async || {
        let event = site.engine.event(EventId(1)).await.unwrap().unwrap();
        event.value.context.to_string()
    };
    assert_eq!(stored().await, r#"{"room":"b-7"}"#);
    assert!(ulf.get(EDIT).await.has("&quot;room&quot;: &quot;b-7&quot;"));

    // A form without the field leaves the filter unchanged.
    let saved = ulf.submit(EDIT, &ON_MACHINE[1..]).await;
    saved.leads_to("/console/events?done=saved");
    assert_eq!(stored().await, r#"{"room":"b-7"}"#);
    let wrong = [&ON_MACHINE[1..], &[("context", "b-7")]].concat();
    assert_eq!(ulf.submit(EDIT, &wrong).await.status, 422);
    let cleared = [&ON_MACHINE[1..], &[("context", "")]].concat();
    let cleared = ulf.submit(EDIT, &cleared).await;
    cleared.leads_to("/console/events?done=saved");
    assert_eq!(stored().await, "{}");
}

#[tokio::test]
async fn context_in_edit_form_keeps_digits_of_numbers() {
    let (_site, ulf) = site().await;
    let context = [("context", r#"{"price": 1.10}"#)];
    new_event(&ulf, &[&ON_MACHINE[..], &context].concat()).await;
    assert!(ulf.get(EDIT).await.has("{&quot;price&quot;:1.10}"));
}

#[tokio::test]
async fn task_and_event_addresses_redirect_to_edit() {
    let (_site, ulf) = site().await;
    new_event(&ulf, &ON_MACHINE).await;
    for table in ["tasks", "events"] {
        let page = ulf.get(&format!("/console/{table}/1")).await;
        page.leads_to(&format!("/console/{table}/1/edit"));
        assert_eq!(ulf.get(&format!("/console/{table}/2")).await.status, 404);
        assert_eq!(ulf.get(&format!("/console/{table}/x")).await.status, 404);
    }
}
