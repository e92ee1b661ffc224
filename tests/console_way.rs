//! The whole way in a real browser: a key that is used, a webhook, a task, an event, a delivered message.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use examples::client::call;
use examples::receiver::Receiver;
use serde_json::json;
use tests::browser::{Browser, Look, Site};
use tests::world::{HERE, poweron};

#[tokio::test(flavor = "multi_thread")]
async fn from_a_key_to_a_delivered_message() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (addr, engine, target) = (site.addr, site.engine.clone(), receiver.addr);
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        assert_eq!(b.text("h1").await, "Tasks Dashboard");

        // A key, copied from the popup, opens the API.
        b.click("nav a[href$='/keys']").await;
        b.click("a.primary").await;
        b.fill("#name", "browser").await;
        b.click("button.primary").await;
        let key = b.text("dialog #secret").await;
        b.devtools("Browser.grantPermissions", json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})).await;
        b.click("dialog [data-copy]").await;
        b.until("#copied", "Copied.").await;
        let copied = b.driver.execute_async("navigator.clipboard.readText().then(arguments[0])", Vec::new()).await.unwrap();
        assert_eq!(copied.json(), &json!(key));
        let answer = call(addr, HERE, "GET", "/api/v4/system", Some(&key), None).await.unwrap();
        assert_eq!(answer.status, 200);
        b.click("dialog [data-close]").await;

        // The dashboard leads from nothing to an event.
        b.click("nav a[href$='/console/']").await;
        b.click("li.next a.primary").await;
        b.fill("#name", "Chat channel").await;
        b.fill("#url", &format!("http://{target}/hook")).await;
        b.click("input[name=auth][value=bearer]").await;
        b.fill("#token", "t0ken").await;
        b.click("form.main .submit .primary").await;
        b.until(".note", "The webhook was made").await;
        b.click("a[href*='/tasks/new?webhook=']").await;
        assert_eq!(b.value("#webhook").await, "1");
        b.fill("#name", "Tell the channel").await;
        b.script("document.getElementById('message').value = '{\"text\":\"${NAME} is on\"}'").await;
        b.press(" ").await;
        b.until("#preview", "web-1 is on").await;
        b.click("form.main .submit .primary").await;
        b.click(".note a").await;
        // Type, then event, then one of instance or tag.
        b.script("const s = document.getElementById('type'); s.value = 'vms'; s.dispatchEvent(new Event('change'))").await;
        b.see("#event").await;
        b.script("document.getElementById('instance').value = '1'; document.getElementById('task').value = '1'").await;
        b.click("form.main .submit .primary").await;
        b.until(".note", "The event was made").await;

        // It happens, and the message arrives and is seen.
        b.click("nav a[href$='/deliveries']").await;
        b.until("main", "Nothing was sent yet").await;
        engine.emit(poweron(1, &[])).await.unwrap();
        let got = receiver.wait_for("/hook", 1).await.unwrap();
        assert_eq!(got.body, r#"{"text":"vm-1 is on"}"#);
        assert_eq!(got.header("authorization"), Some("Bearer t0ken"));
        b.goto("/console/deliveries").await;
        b.until("tbody .badge", "sent").await;
        b.click("tbody a[href*='/deliveries/']").await;
        b.until("main", "vm-1 is on").await;
        b.until("table", "200").await;
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}
