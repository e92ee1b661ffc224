//! Every refusal of the console is in its layout, with a link back, for every route and every
//! cause. The routes are read from the console's own sources.

use std::path::PathBuf;
use std::sync::Arc;

use examples::receiver::Receiver;
use gatepost_ids::Quota;
use gatepost_kv::MemoryStore;
use gatepost_testkit::fault::FaultStore;
use tests::browser::form_input::{ON_TAG, new_event, new_task, new_webhook, visited_with_webhook};
use tests::browser::{Page, Setup, Site, Visitor};

/// A page of system administrators, whatever the store returns.
const NOT_HIS: &str = "/keys/leaked";
const AREAS: [&str; 6] = [
    "keys",
    "webhooks",
    "tasks",
    "events",
    "deliveries",
    "changes",
];
const TASK: &str = "/console/tasks/new";

/// A route: its path below the console's, and whether it accepts GET and POST.
#[derive(Clone, Debug)]
struct Route {
    path: String,
    get: bool,
    post: bool,
}

impl Route {
    /// Returns the address of a row that does not exist.
    fn gone(&self) -> String {
        self.of("999", "enable")
    }

    fn of(&self, id: &str, action: &str) -> String {
        let path = self.path.replace("{id}", id).replace("{action}", action);
        format!("/console{path}")
    }

    /// Returns the section to which its pages belong.
    fn section(&self) -> String {
        let first = self.path.split('/').nth(1).unwrap_or_default();
        let first = Some(first).filter(|first| AREAS.contains(first));
        format!("/console/{}", first.unwrap_or_default())
    }
}

/// Returns all routes, as the modules of the console declare them; those of the records' forms
/// together.
fn routes() -> Vec<Route> {
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../crates/gatepost-console/src");
    let read = |file: &str| std::fs::read_to_string(sources.join(file));
    let (forms, mut all, mut with_forms) = (read("crud.rs").unwrap(), Vec::new(), 0);
    for area in AREAS {
        let source = read(&format!("{area}/mod.rs"));
        let mut source = source.or_else(|_| read(&format!("{area}.rs"))).unwrap();
        if source.contains("crud::<") {
            source.push_str(&forms);
            with_forms += 1;
        }
        for route in source.split(".route(").skip(1) {
            let mut parts = route.splitn(3, '"');
            let (path, rest) = (parts.nth(1).unwrap(), parts.next().unwrap());
            let path = path.trim_end_matches('/');
            all.push(Route {
                path: format!("/{area}{path}"),
                get: rest.contains("get("),
                post: rest.contains("post("),
            });
        }
    }
    for path in ["/", "/live"] {
        all.push(Route {
            path: path.into(),
            get: true,
            post: false,
        });
    }
    assert_eq!(with_forms, 4, "keys, webhooks, tasks and events");
    assert!(all.len() > 30, "{all:?}");
    assert!(all.iter().all(|route| route.get || route.post), "{all:?}");
    all
}

/// Returns the parts that a refusal lacks of the layout of its section.
fn lacks(page: &Page, section: &str) -> Vec<&'static str> {
    let main = page.html.split("<main").nth(1).unwrap_or_default();
    // Tasks and events belong to the overview.
    let place = match section {
        "/console/tasks" | "/console/events" => "/console/",
        section => section,
    };
    let parts = [
        ("a style", page.has("<link rel=\"stylesheet\"")),
        ("the navigation", page.has("<nav aria-label=\"Console\"")),
        (
            "its place in the navigation",
            page.has(&format!("<a href=\"{place}\" aria-current=\"page\"")),
        ),
        ("a heading", main.contains("<h1>")),
        ("a way back", main.contains(&format!("href=\"{section}\""))),
        ("words", main.contains("<p>") || main.contains("note bad")),
    ];
    let missing = parts.into_iter().filter(|(_, there)| !there);
    missing.map(|(part, _)| part).collect()
}

fn assert_framed(page: &Page, status: u16, route: &Route) {
    assert_eq!(page.status, status, "{route:?}: {}", page.html);
    let lacks = lacks(page, &route.section());
    assert!(lacks.is_empty(), "{route:?} lacks {lacks:?}: {}", page.html);
}

#[tokio::test]
async fn every_route_refuses_within_the_layout() {
    let memory = Arc::new(MemoryStore::new());
    let store = Arc::new(FaultStore::new(memory));
    let site = Setup::on(&store).start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let hidden = ulf.get(TASK).await.hidden();
    let csrf = hidden.iter().find(|(name, _)| name == "csrf").unwrap();
    let token = ("csrf", csrf.1.as_str());
    let long = "x".repeat(70_000);
    let mut unavailable = 0;
    for route in routes() {
        // A deleted row, an invalid row number, an unknown action.
        if route.path.contains("{id}") {
            for path in [route.gone(), route.of("x", "enable"), route.of("1", "sing")] {
                if route.get {
                    assert_framed(&ulf.get(&path).await, 404, &route);
                }
                if route.post {
                    let fields = [token, ("message", "x")];
                    assert_framed(&ulf.post(&path, &fields).await, 404, &route);
                }
            }
        }
        // A form without a token, one that is too large, one sent to a page without a form, and the
        // reverse.
        let path = route.gone();
        if route.post {
            assert_framed(&ulf.post(&path, &[("name", "x")]).await, 403, &route);
            let much = [token, ("name", long.as_str())];
            assert_framed(&ulf.post(&path, &much).await, 413, &route);
        } else {
            let page = ulf.post(&path, &[token]).await;
            assert_framed(&page, 405, &route);
            assert!(page.header("allow").contains("GET"), "{route:?}");
        }
        if !route.get {
            let page = ulf.get(&path).await;
            // A path without a form may be taken for the number of a row.
            assert!([404, 405].contains(&page.status), "{route:?}");
            assert_framed(&page, page.status, &route);
        }
        // The store is unavailable.
        store.set_down(true);
        if route.get {
            let page = ulf.get(&path).await;
            if route.path == NOT_HIS {
                assert_framed(&page, 404, &route);
            } else if page.status != 200 {
                assert_framed(&page, 503, &route);
                unavailable += 1;
            }
        }
        if route.post && route.path.contains("{id}") {
            let page = ulf.post(&path, &[token]).await;
            if page.status != 404 {
                assert_framed(&page, 503, &route);
                unavailable += 1;
            }
        }
        store.set_down(false);
    }
    assert!(unavailable > 20, "{unavailable}");
    let nowhere = Route {
        path: "/nothing".into(),
        get: true,
        post: false,
    };
    assert_framed(&ulf.get("/console/nothing").await, 404, &nowhere);
}

/// This tests the test: it must not accept a page without the layout.
#[tokio::test]
async fn a_page_without_the_layout_is_found_out() {
    let site = Site::start().await;
    let bare = |html: &str| Page {
        status: 404,
        headers: reqwest::header::HeaderMap::new(),
        html: html.into(),
    };
    assert_eq!(lacks(&bare("Not found"), "/console/keys").len(), 6);
    let page = "<html><body><main><h1>Not possible</h1><p>Tasks use it.</p></main>";
    assert_eq!(lacks(&bare(page), "/console/webhooks").len(), 4);
    let nobody = Visitor::stranger(&site)
        .post("/console/keys/new", &[])
        .await;
    assert!(lacks(&nobody, "/console/keys").contains(&"the navigation"));
    // A user who is not logged in still gets the platform's style and a link to the login.
    assert!(nobody.has("<link rel=\"stylesheet\"") && nobody.has("href=\"/login?back="));
}

/// Returns a route that only accepts forms.
fn action(path: &str) -> Route {
    Route {
        path: path.into(),
        get: false,
        post: true,
    }
}

#[tokio::test]
async fn state_conflict_is_reported_on_originating_page() {
    let (site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "x", &[]).await;
    new_event(&ulf, &ON_TAG).await;
    let act = async |path: &str| ulf.fill(TASK, path, &[]).await;
    assert_eq!(act("/console/tasks/1/do/run").await.status, 303);
    site.ended(1).await;
    act("/console/tasks/1/do/disable").await;
    for (path, words) in [
        ("/tasks/1/do/run", "A disabled task cannot be run."),
        ("/events/1/trigger", "The task of this event is disabled"),
        (
            "/deliveries/1/cancel",
            "The state of the delivery no longer allows this.",
        ),
    ] {
        let page = act(&format!("/console{path}")).await;
        assert_framed(&page, 409, &action(path));
        assert!(page.has(words), "{path}: {}", page.html);
    }
    let page = act("/console/deliveries/1/cancel").await;
    assert!(page.has("href=\"/console/deliveries/1\">Back to the delivery</a>"));
}

#[tokio::test]
async fn rate_limited_action_says_when_to_retry() {
    let quota = Quota::default().with_runs_per_minute(1);
    let setup = Setup {
        quotas: Arc::new(quota),
        ..Setup::new()
    };
    let site = setup.start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    new_task(&ulf, "x", &[]).await;
    let run = "/tasks/1/do/run";
    let act = async || ulf.fill(TASK, &format!("/console{run}"), &[]).await;
    assert_eq!(act().await.status, 303);
    let page = act().await;
    assert_framed(&page, 429, &action(run));
    assert!(page.has("again in") && !page.header("retry-after").is_empty());
}

#[tokio::test]
async fn refused_webhook_deletion_is_explained_with_cascade_box() {
    let (_site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "x", &[]).await;
    let page = ulf.submit("/console/webhooks/1/delete", &[]).await;
    assert_eq!(page.status, 409);
    page.shows_all([
        "Nothing was deleted.",
        "These tasks use the webhook: tell.",
        "name=\"cascade\"",
        "Delete webhook</button>",
        "name=\"csrf\"",
    ]);
    let page = ulf
        .submit("/console/webhooks/1/delete", &[("cascade", "on")])
        .await;
    assert_eq!(page.status, 303);
}
