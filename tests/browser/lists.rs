//! Lists in a real browser: searched, sorted and paged by the keyboard, with and without scripts;
//! no list makes the page scroll sideways.

use examples::receiver::Receiver;
use tests::browser::{Browser, Look, Site, Visitor, furnish};

async fn search_and_sort(look: Look) {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    Browser::run(&site, look, async |b: Browser| {
        b.login("admin").await;
        b.goto("/console/keys").await;
        b.fill("#q", "NIGHT").await;
        b.press(thirtyfour::Key::Enter).await;
        b.until(".count", "1 of 3 keys matches").await;
        assert_eq!(b.text("tbody strong").await, "nightly build");
        assert_eq!(b.value("#q").await, "NIGHT");
        // A heading sorts, a second click reverses the order, and the search stays.
        b.fill("#q", "").await;
        b.click("form.filter button").await;
        b.until(".count", "3 keys").await;
        b.click("th a.sort[href*=name]").await;
        b.until("th[aria-sort=ascending]", "Name").await;
        assert_eq!(b.text("tbody strong").await, "monitoring");
        b.click("th a.sort[href*=name]").await;
        b.until("th[aria-sort=descending]", "Name").await;
        assert_eq!(b.text("tbody strong").await, "terraform");
        assert!(b.path().await.contains("sort=-name"));
        // A key leads to its page, and its owner to the owner's page.
        b.click("tbody td a").await;
        b.until("h1", "terraform").await;
        b.click("dd a[href*='/users/']").await;
        b.until("h1", "tina").await;
        assert_eq!(b.text("tbody strong").await, "terraform");
        b.fill("#q", "nobody").await;
        b.press(thirtyfour::Key::Enter).await;
        b.until(".count", "No matches in 1 key").await;
        assert!(b.path().await.starts_with("/console/users/2?"));
        for list in ["webhooks", "tasks", "events"] {
            b.goto(&format!("/console/{list}")).await;
            b.click("th a.sort").await;
            b.see("th[aria-sort=ascending]").await;
            b.fill("#q", "\"><script>document.title='no'</script>")
                .await;
            b.press(thirtyfour::Key::Enter).await;
            b.until(".count", "No matches in").await;
            assert_eq!(
                b.value("#q").await,
                "\"><script>document.title='no'</script>"
            );
        }
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_searched_and_sorted() {
    search_and_sort(Look::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_scripts_as_well() {
    let look = Look {
        scripts: false,
        ..Look::default()
    };
    search_and_sort(look).await;
}

/// Returns how far the page scrolls sideways, in pixels.
async fn beyond(b: &Browser) -> i64 {
    let script =
        "const page = document.scrollingElement; return page.scrollWidth - page.clientWidth";
    b.script(script).await.as_i64().unwrap()
}

/// Returns how far a table scrolls within its container, in pixels.
async fn within(b: &Browser) -> i64 {
    let script = "const places = [...document.querySelectorAll('.scroll')]; return Math.max(0, ...places.map(place => place.scrollWidth - place.clientWidth))";
    b.script(script).await.as_i64().unwrap()
}

/// The second width is that of 1,440 pixels at 200 %.
#[tokio::test(flavor = "multi_thread")]
async fn list_pages_fit_width_and_tables_fit_tablet() {
    for width in [768, 720, 390, 320] {
        let site = Site::start().await;
        let receiver = Receiver::start(None).await.unwrap();
        furnish(&site, &receiver).await;
        let look = Look {
            width,
            ..Look::default()
        };
        Browser::run(&site, look, async move |b: Browser| {
            b.login("admin").await;
            for path in ["keys", "keys/1", "users/1", "webhooks", "tasks", "events"] {
                b.goto(&format!("/console/{path}")).await;
                assert_eq!(beyond(&b).await, 0, "{path} at {width} pixels");
            }
            if width == 768 {
                for path in ["keys", "webhooks", "deliveries"] {
                    b.goto(&format!("/console/{path}")).await;
                    assert_eq!(within(&b).await, 0, "{path} at {width} pixels");
                }
                // Control: a table that is too wide is found.
                b.script("document.querySelector('table').style.minWidth = '60rem'")
                    .await;
                assert!(within(&b).await > 0);
            }
        })
        .await;
    }
}

/// Returns the heights of the rows of a list, in pixels.
async fn heights(b: &Browser) -> Vec<f64> {
    let heights = "return [...document.querySelectorAll('tbody tr')].map(row => row.getBoundingClientRect().height)";
    let heights = b.script(heights).await;
    let heights = heights.as_array().unwrap().iter();
    heights.map(|height| height.as_f64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn list_rows_take_one_line_each() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    let admin = Visitor::login(&site, "admin").await;
    for run in 5..=10 {
        let path = "/console/tasks/1/do/run";
        admin.fill("/console/tasks/new", path, &[]).await;
        site.ended(run).await;
    }
    let changed = [
        ("name", "nightly"),
        ("expires_type", "keep"),
        ("description", ""),
    ];
    admin.submit("/console/keys/1/edit", &changed).await;
    let wide = Look {
        width: 1440,
        ..Look::default()
    };
    Browser::run(&site, wide, async |b: Browser| {
        b.login("admin").await;
        for list in [
            "keys",
            "webhooks",
            "tasks",
            "events",
            "deliveries",
            "changes",
            "users",
        ] {
            b.goto(&format!("/console/{list}")).await;
            let heights = heights(&b).await;
            assert!(
                heights.iter().all(|height| *height <= 38.5),
                "{list}: {heights:?}"
            );
        }
        // The values of a change are folded.
        b.goto("/console/changes?q=nightly").await;
        b.click("tbody details summary").await;
        b.until("tbody details", "nightly build → nightly").await;
    })
    .await;
    let phone = Look {
        width: 390,
        ..Look::default()
    };
    Browser::run(&site, phone, async |b: Browser| {
        b.login("admin").await;
        b.goto("/console/deliveries").await;
        let heights = heights(&b).await;
        assert_eq!(heights.len(), 10);
        assert!(heights.iter().sum::<f64>() <= 700.0, "{heights:?}");
    })
    .await;
}
