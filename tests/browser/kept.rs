//! A form whose session ended, a page that is reloaded, and the user's own time zone.

use serde_json::json;
use tests::browser::{Browser, Look, Site};

async fn login_in_another_tab(b: &Browser) {
    let own = b.driver.window().await.unwrap();
    b.click("main a[target=_blank]").await;
    let mut windows = b.driver.windows().await.unwrap();
    while windows.len() < 2 {
        windows = b.driver.windows().await.unwrap();
    }
    let other = windows.into_iter().find(|window| *window != own).unwrap();
    b.driver.switch_to_window(other).await.unwrap();
    b.login("ulf").await;
    b.driver.close_window().await.unwrap();
    b.driver.switch_to_window(own).await.unwrap();
}

async fn a_form_outlives_its_session(scripts: bool) {
    let site = Site::start().await;
    let look = Look {
        scripts,
        ..Look::default()
    };
    Browser::run(&site, look, async move |b: Browser| {
        b.login("ulf").await;
        b.goto("/console/webhooks/new").await;
        b.fill("#name", "typed before").await;
        b.fill("#url", "https://example.com/in").await;
        b.driver.delete_all_cookies().await.unwrap();
        b.turn("form.main .submit .primary").await;
        b.until("main", "Your session has ended").await;
        login_in_another_tab(&b).await;
        b.turn("main form .primary").await;
        b.until(".note.bad", "Check your entries").await;
        assert_eq!(b.value("#name").await, "typed before");
        b.turn("form.main .submit .primary").await;
        b.until(".note", "The webhook was created").await;
        // The confirmation is about the operation, not about the address.
        b.driver.refresh().await.unwrap();
        b.until("h1", "typed before").await;
        assert!(!b.shows("main > .note").await);
        assert_eq!(b.path().await.contains("done="), !scripts);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_form_survives_session_end() {
    a_form_outlives_its_session(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_form_survives_session_end_without_scripts() {
    a_form_outlives_its_session(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_form_reload_and_back_send_nothing() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        let refused = async || {
            b.fill("#name", "one").await;
            b.fill("#url", "nowhere").await;
            b.turn("form.main .submit .primary").await;
            b.until(".note.bad", "Nothing was saved.").await;
        };
        b.goto("/console/webhooks/new").await;
        refused().await;
        b.driver.refresh().await.unwrap();
        b.until("h1", "New webhook").await;
        assert!(!b.shows(".note.bad").await);
        refused().await;
        b.fill("#url", "https://example.com/").await;
        b.turn("form.main .submit .primary").await;
        b.until("h1", "one").await;
        b.driver.back().await.unwrap();
        b.until("h1", "New webhook").await;
        // A button whose address only receives forms.
        b.goto("/console/webhooks/1").await;
        b.script("document.querySelector('form[action$=pause]').action += 's'")
            .await;
        b.turn("form[action$=pauses] button").await;
        b.until("h1", "Not found").await;
        b.driver.refresh().await.unwrap();
        b.until("h1", "Not").await;
    })
    .await;
    assert_eq!(site.heard().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn times_are_shown_and_parsed_in_browser_timezone() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        let zone = |name: &str| json!({ "timezoneId": name });
        b.devtools("Emulation.setTimezoneOverride", zone("Asia/Kolkata")).await;
        b.login("ulf").await;
        b.goto("/console/keys/new").await;
        b.fill("#name", "far").await;
        b.click("[name=expires_type][value=date]").await;
        b.until("label[for=expires]", "your time zone, Asia/").await;
        b.script("const field = document.getElementById('expires'); field.value = '2031-05-01T12:00'; field.dispatchEvent(new Event('input', { bubbles: true }))").await;
        b.click("form.main .submit .primary").await;
        b.see("dialog #secret").await;
        b.see("td [title='2031-05-01 06:30 UTC']").await;
        // A time within a sentence shows the zone, too.
        b.goto("/console/keys/1").await;
        b.until("dl", "(2031-05-01 12:00:00, 06:30:00 UTC)").await;
        // The creation of the key: in the user's zone, and in UTC.
        let shown = "const at = document.querySelector('dl .at'); const time = at.querySelector('time'); const local = new Date(time.textContent.replace(' ', 'T') + '+05:30').toISOString(); return [local.slice(0, 19) === time.dateTime.slice(0, 19), at.textContent]";
        let shown = b.script(shown).await;
        assert_eq!(shown[0], json!(true), "{shown}");
        let text = shown[1].as_str().unwrap();
        assert!(text.contains("UTC, "), "{text}");
        // The form shows a stored date in the zone of the user who edits it.
        b.goto("/console/keys/1/edit").await;
        b.click("[name=expires_type][value=date]").await;
        assert_eq!(b.value("#expires").await, "2031-05-01T12:00");
        b.devtools("Emulation.setTimezoneOverride", zone("America/New_York")).await;
        b.goto("/console/keys/1/edit").await;
        b.click("[name=expires_type][value=date]").await;
        assert_eq!(b.value("#expires").await, "2031-05-01T02:30");
        // The hours of a chart, too.
        b.script("const hour = document.createElement('time'); hour.className = 'tick'; hour.dateTime = '2031-05-01T06:30:00Z'; document.querySelector('main').append(hour)").await;
        b.until("time.tick", "02:30").await;
        b.click("form.main .submit .primary").await;
        b.see("td [title='2031-05-01 06:30 UTC']").await;
    })
    .await;
}
