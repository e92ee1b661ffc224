//! Choices of more rows than a list offers: they are searched in the form, which stays as it was.

use std::sync::Arc;

use async_trait::async_trait;
use examples::receiver::Receiver;
use gatepost_keys::Principal;
use gatepost_manage::{Choice, Directory};
use tests::browser::form_input::{new_task, new_webhook};
use tests::browser::{Site, Visitor};
use webhook_model::{ObjectId, OwnerId, Webhook};

/// A directory with 300 rows in each table.
#[derive(Debug)]
struct Many;

#[async_trait]
impl Directory for Many {
    async fn name(&self, _: &Principal, _: &str, key: ObjectId) -> Option<String> {
        Some(format!("row number {key}"))
    }

    async fn choices(&self, _: &Principal, _: &str, most: usize) -> Vec<Choice> {
        let all = (1..=300).map(ObjectId::from).take(most);
        all.map(|key| Choice::new(key, format!("row number {key}")))
            .collect()
    }
}

#[tokio::test]
async fn object_among_many_is_searched_and_saved() {
    let site = Site::start_with(Arc::new(Many)).await;
    let admin = Visitor::login(&site, "admin").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&admin, &receiver, "0").await;
    new_task(&admin, "x", &[]).await;
    let (form, new) = ("/console/events/new?type=vms", "/console/events/new");
    let page = admin.get(form).await;
    assert!(page.has("name=\"find.instance\"") && page.has(">row number 200<"));
    assert!(
        !page.has(">row number 201<") && !page.has("find.task"),
        "{}",
        page.html
    );
    let typed = [
        ("event", "poweron"),
        ("target", "instance"),
        ("task", "1"),
        ("label", "kept"),
    ];
    let search = [
        &typed[..],
        &[("find.instance", "NUMBER 29"), ("do", "find")],
    ]
    .concat();
    let page = admin.fill(form, new, &search).await;
    assert_eq!(page.status, 200);
    assert!(
        page.has(">row number 29<") && page.has(">row number 299<"),
        "{}",
        page.html
    );
    let list = page.html.split("name=\"instance\"").nth(1).unwrap();
    let list = list.split("</select>").next().unwrap();
    assert!(!list.contains("row number 3<") && page.has("value=\"NUMBER 29\""));
    assert!(page.has("value=\"kept\"") && page.has("value=\"1\" selected"));
    let chosen = [&typed[..], &[("instance", "299"), ("enabled", "on")]].concat();
    let made = admin.fill(form, new, &chosen).await;
    assert_eq!(made.status, 303, "{}", made.html);
    // The stored one is offered, whatever the search is.
    let page = admin.get("/console/events/1/edit").await;
    assert!(
        page.has("value=\"299\" selected>row number 299<"),
        "{}",
        page.html
    );
    let users = admin.get("/console/users?find.user=17").await;
    assert!(users.has("/console/users/217") && !users.has("/console/users/218\""));
}

#[tokio::test]
async fn webhook_among_many_is_searched_in_filters() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    for row in 1..=201 {
        let name = format!("w{row}").parse().unwrap();
        let webhook = Webhook::new(OwnerId(3), name, "https://example.com/".parse().unwrap());
        site.engine.create_webhook(&webhook).await.unwrap();
    }
    let page = ulf.get("/console/deliveries?webhook=1").await;
    assert!(page.has("value=\"1\" selected>w1<"), "{}", page.html);
    let page = ulf.get("/console/deliveries?find.webhook=w17").await;
    for (name, is_offered) in [("w17", true), ("w170", true), ("w18", false)] {
        assert_eq!(
            page.has(&format!(">{name}<")),
            is_offered,
            "{name}: {}",
            page.html
        );
    }
    let page = ulf.get("/console/tasks/new").await;
    assert!(
        page.has("name=\"find.webhook\"") && !page.has("(id)"),
        "{}",
        page.html
    );
}
