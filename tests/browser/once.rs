//! The popup that shows a key once (SPEC 2.1 rule 1), in a real browser: no action of the user
//! shows it again.

use tests::browser::{Browser, Look, Site};

/// Creates a key manually, and returns the key that the popup shows.
async fn make(b: &Browser, name: &str) -> String {
    b.goto("/console/keys").await;
    b.click(".head a.primary").await;
    b.fill("#name", name).await;
    b.click("form.main .submit .primary").await;
    let key = b.text("dialog #secret").await;
    assert!(key.starts_with("gp_"), "{key}");
    key
}

async fn is_gone(b: &Browser, key: &str, after: &str) {
    for _ in 0..40 {
        if !b.source().await.contains(key) {
            break;
        }
        // The browser reports a closed popup a moment later.
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    let source = b.source().await;
    assert!(
        !source.contains(key),
        "the key is in the page after {after}"
    );
    assert!(!b.shows("dialog").await, "the popup is there after {after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_key_vanishes_after_close_reload_or_back() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        // A reload while it is open: the address is that of the list, so nothing is sent again.
        let key = make(&b, "one").await;
        assert_eq!(b.path().await, "/console/keys");
        b.driver.refresh().await.unwrap();
        b.until("tbody", "one").await;
        is_gone(&b, &key, "a reload").await;
        // Closed, by the button and by the keyboard.
        let key = make(&b, "two").await;
        b.click("dialog [data-copy=secret]").await;
        b.until("#copied", "Copied").await;
        b.click("dialog [data-close]").await;
        is_gone(&b, &key, "Done").await;
        b.driver.back().await.unwrap();
        is_gone(&b, &key, "Done and Back").await;
        let key = make(&b, "three").await;
        b.press(thirtyfour::Key::Escape).await;
        b.click("dialog [data-discard]").await;
        is_gone(&b, &key, "Escape").await;
        b.driver.refresh().await.unwrap();
        is_gone(&b, &key, "Escape and a reload").await;
        // The page is left while it is open, and opened by Back: even if the browser kept the page.
        let key = make(&b, "four").await;
        b.goto("/console/webhooks").await;
        b.driver.back().await.unwrap();
        b.until("tbody", "four").await;
        is_gone(&b, &key, "Back").await;
        b.driver.forward().await.unwrap();
        b.driver.back().await.unwrap();
        is_gone(&b, &key, "Forward and Back").await;
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
    assert_eq!(
        site.heard().len(),
        4,
        "no reload made a key: {:?}",
        site.heard()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn uncopied_and_unsaved_key_requires_confirmation_before_closing() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        let key = make(&b, "one").await;
        let is_shown = async |after: &str| {
            assert_eq!(b.text("dialog #secret").await, key, "{after}");
        };
        for round in 0..3 {
            // Escape asks, and a second Escape cancels, any number of times.
            b.press(thirtyfour::Key::Escape).await;
            b.until("[data-ask]", "neither copied nor saved").await;
            is_shown("Escape").await;
            b.press(thirtyfour::Key::Escape).await;
            assert!(!b.shows("[data-ask]").await, "round {round}");
        }
        b.click("dialog [data-close]").await;
        b.see("[data-ask]").await;
        b.click("dialog [data-stay]").await;
        is_shown("Go back").await;
        assert!(!b.shows("[data-ask]").await);
        // A user who has copied the key is not asked.
        b.click("dialog [data-copy=command]").await;
        b.until("#copied", "Copied").await;
        b.press(thirtyfour::Key::Escape).await;
        is_gone(&b, &key, "Copy and Escape").await;
        let key = make(&b, "two").await;
        b.click("dialog a[download]").await;
        b.click("dialog [data-close]").await;
        is_gone(&b, &key, "Save and Done").await;
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_tab_does_not_see_it() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        let key = make(&b, "one").await;
        let first = b.driver.window().await.unwrap();
        let tab = b.driver.new_tab().await.unwrap();
        b.driver.switch_to_window(tab).await.unwrap();
        for path in ["/console/keys", "/console/keys/new", "/console/keys/1/edit"] {
            b.goto(path).await;
            is_gone(&b, &key, path).await;
        }
        b.driver.switch_to_window(first).await.unwrap();
        assert_eq!(
            b.text("dialog #secret").await,
            key,
            "the first tab still shows it"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn key_copy_and_save_make_no_network_requests() {
    let site = Site::start().await;
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("one.PAK");
    let into = folder.path().to_str().unwrap().to_owned();
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("ulf").await;
        let key = make(&b, "one").await;
        let before = b.network().await;
        let posted: Vec<_> = before
            .iter()
            .filter(|event| {
                event.contains("Network.responseReceived\"") && event.contains("/console/keys/new")
            })
            .collect();
        assert!(
            posted.iter().all(|event| event.contains("no-store")),
            "{posted:?}"
        );
        b.devtools(
            "Browser.setDownloadBehavior",
            serde_json::json!({"behavior": "allow", "downloadPath": into}),
        )
        .await;
        b.click("dialog a[download]").await;
        b.click("dialog [data-copy=secret]").await;
        b.until("#copied", "Copied").await;
        for _ in 0..100 {
            if saved.exists() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert_eq!(std::fs::read_to_string(&saved).unwrap(), key);
        let after = b.network().await;
        let asked: Vec<_> = after
            .iter()
            .filter(|event| {
                event.contains("Network.requestWillBeSent\"") && event.contains("\"url\":\"http")
            })
            .collect();
        assert!(asked.is_empty(), "{asked:?}");
        // The key is not in the network log, which holds addresses and headers but no bodies.
        assert!(
            before
                .iter()
                .chain(&after)
                .all(|event| !event.contains(&key))
        );
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scriptless_popup_is_modal_and_fits_low_window() {
    let site = Site::start().await;
    let look = Look {
        scripts: false,
        width: 390,
        ..Look::default()
    };
    Browser::run(&site, look, async |b: Browser| {
        b.login("ulf").await;
        make(&b, "one").await;
        let low = serde_json::json!({"width": 390, "height": 300, "deviceScaleFactor": 1, "mobile": false});
        b.devtools("Emulation.setDeviceMetricsOverride", low).await;
        // Nothing behind the popup is in the accessibility tree.
        let tree = b.devtools("Accessibility.getFullAXTree", serde_json::json!({})).await;
        let nodes = tree["nodes"].as_array().unwrap().iter();
        let used = nodes.filter(|node| node["ignored"] != true);
        let names: Vec<_> = used.filter_map(|node| node["name"]["value"].as_str()).collect();
        assert!(names.iter().any(|name| name.contains(".PAK")), "{names:?}");
        assert!(!names.contains(&"Webhooks") && !names.contains(&"New API key"), "{names:?}");
        // The end of the popup can be reached.
        b.click("dialog [type=checkbox]").await;
        b.click("dialog .done button").await;
        b.until("tbody", "one").await;
        b.click(".top nav a[href='/console/webhooks']").await;
        b.until("h1", "Webhooks").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn key_typed_in_search_appears_in_no_address() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        let key = make(&b, "one").await;
        b.click("dialog [data-copy=secret]").await;
        b.until("#copied", "Copied").await;
        b.click("dialog [data-close]").await;
        b.network().await;
        b.fill("#q", &key).await;
        b.click("form.filter button").await;
        b.until("p.count", "1 of 1 key matches").await;
        let secret = key.rsplit('_').next().unwrap();
        let asked = b.network().await;
        assert!(
            asked
                .iter()
                .any(|event| event.contains("/console/keys?q=gp_")),
            "{asked:?}"
        );
        assert!(
            asked.iter().all(|event| !event.contains(secret)),
            "{asked:?}"
        );
        assert!(!b.source().await.contains(secret));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_scripts_it_is_shown_once_as_well() {
    let site = Site::start().await;
    let look = Look {
        scripts: false,
        ..Look::default()
    };
    Browser::run(&site, look, async |b: Browser| {
        b.login("ulf").await;
        let key = make(&b, "one").await;
        assert!(
            !b.shows("dialog [data-copy]").await,
            "a button that would do nothing is not shown"
        );
        assert!(b.shows("dialog a[download='one.PAK']").await);
        b.driver.refresh().await.unwrap();
        is_gone(&b, &key, "a reload").await;
        let key = make(&b, "two").await;
        // The browser itself requires the box to be ticked.
        b.click("dialog .done button").await;
        assert_eq!(b.text("dialog #secret").await, key, "it is still shown");
        b.click("dialog [type=checkbox]").await;
        b.click("dialog .done button").await;
        b.until("tbody", "two").await;
        is_gone(&b, &key, "Done").await;
        b.driver.back().await.unwrap();
        is_gone(&b, &key, "Back").await;
    })
    .await;
    assert_eq!(
        site.heard().len(),
        2,
        "no reload made a key: {:?}",
        site.heard()
    );
}
