//! A console that links open: for a platform that has an API and no pages.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::{Grant, KeyId, ScopeNames, TableNames};
use async_trait::async_trait;
use axum::http::request::Parts;
use gatepost_console::{Console, ConsoleLogin, LinkError, LoggedIn, Visit};
use gatepost_keys::{AccessLevel, Account, Principal, Via};
use gatepost_kv::MemoryStore;
use gatepost_storage::{Clock as _, ManualClock, SystemClock};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use tests::browser::Site;
use tokio::net::TcpListener;
use url::Url;
use webhook_model::OwnerId;

const USER: OwnerId = OwnerId(3);
const MINUTE: Duration = Duration::from_secs(60);

/// Two processes of one platform over one store, with one clock.
struct Platform {
    site: Site,
    clock: Arc<ManualClock>,
    consoles: [Console; 2],
    urls: [Url; 2],
}

async fn platform() -> Platform {
    let site = Site::start().await;
    let clock = Arc::new(ManualClock::at(SystemClock.now()));
    let store = Arc::new(MemoryStore::new());
    let mut served = Vec::new();
    for _ in 0..2 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/console", listener.local_addr().unwrap());
        let url: Url = url.parse().unwrap();
        let console = Console::linked(site.management.clone(), store.clone(), url.clone())
            .clock(clock.clone())
            .csrf_secret([7; 32])
            .build();
        let router = console.router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        served.push((console, url));
    }
    let [(first, at_first), (second, at_second)] = served.try_into().unwrap();
    Platform {
        site,
        clock,
        consoles: [first, second],
        urls: [at_first, at_second],
    }
}

fn principal(via: Via) -> Principal {
    Principal::new(USER, Account::enabled(AccessLevel::User), via)
}

impl Platform {
    async fn link(&self) -> Url {
        let user = principal(Via::Platform);
        self.consoles[0].link(&user, "ulf <b>").await.unwrap()
    }

    /// Returns the same address at another process.
    fn at(&self, process: usize, path: &str) -> String {
        let url = self.urls[process].join(path).unwrap();
        url.to_string()
    }

    async fn get(&self, process: usize, path: &str, cookie: &str) -> Response {
        let request = client().get(self.at(process, path));
        request.header("cookie", cookie).send().await.unwrap()
    }

    async fn press(&self, process: usize, link: &Url) -> Response {
        let secret = link.query_pairs().next().unwrap().1.into_owned();
        let request = client().post(self.at(process, "/console/open"));
        let request = request.header("sec-fetch-site", "same-origin");
        with_field(request, "link", &secret).send().await.unwrap()
    }

    /// Returns the cookie of a session that was just opened.
    async fn session(&self) -> String {
        let opened = self.press(0, &self.link().await).await;
        assert_eq!(opened.status(), StatusCode::SEE_OTHER);
        cookie_of(&opened)
    }

    async fn status(&self, process: usize, cookie: &str) -> StatusCode {
        self.get(process, "/console/keys", cookie).await.status()
    }

    fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }
}

/// A platform's own login that knows no user.
#[derive(Debug)]
struct Nobody;

#[async_trait]
impl ConsoleLogin for Nobody {
    async fn who(&self, _request: &Parts, _visit: Visit) -> Option<LoggedIn> {
        None
    }

    fn login_url(&self, _back: &str) -> String {
        "/login".into()
    }
}

fn client() -> Client {
    let client = Client::builder().redirect(reqwest::redirect::Policy::none());
    client.build().unwrap()
}

/// Adds a form with one field.
fn with_field(request: RequestBuilder, name: &str, value: &str) -> RequestBuilder {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    let kind = "application/x-www-form-urlencoded";
    let body = form.append_pair(name, value).finish();
    request.header("content-type", kind).body(body)
}

fn cookie_of(response: &Response) -> String {
    let set = response.headers()["set-cookie"].to_str().unwrap();
    assert!(set.contains("; Path=/; HttpOnly; SameSite=Lax"), "{set}");
    set.split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn link_opens_one_session_in_any_process() {
    let platform = platform().await;
    let link = platform.link().await;
    assert!(
        link.as_str().starts_with(platform.urls[0].as_str()),
        "{link}"
    );
    // A preview of the address does not use it up.
    for process in [0, 1, 1] {
        let path = format!("/console/open?{}", link.query().unwrap());
        let shown = platform.get(process, &path, "").await;
        assert_eq!(shown.status(), StatusCode::OK);
        assert_eq!(shown.headers()["referrer-policy"], "no-referrer");
        assert_eq!(shown.headers()["cache-control"], "no-store");
        assert!(!shown.headers().contains_key("set-cookie"));
        let html = shown.text().await.unwrap();
        assert!(html.contains("ulf &lt;b&gt;"), "{html}");
    }
    let opened = platform.press(1, &link).await;
    assert_eq!(opened.headers()["location"], "/console/");
    let cookie = cookie_of(&opened);
    assert!(!cookie.contains(link.query().unwrap().trim_start_matches("link=")));
    assert_eq!(platform.status(0, &cookie).await, StatusCode::OK);
    assert_eq!(platform.status(1, &cookie).await, StatusCode::OK);
    for process in [0, 1] {
        let again = platform.press(process, &link).await;
        assert_eq!(again.status(), StatusCode::GONE);
        assert!(!again.headers().contains_key("set-cookie"));
    }
}

#[tokio::test]
async fn link_older_than_a_minute_opens_nothing() {
    let platform = platform().await;
    let link = platform.link().await;
    platform.pass(Duration::from_secs(60));
    assert_eq!(platform.press(0, &link).await.status(), StatusCode::GONE);
}

#[tokio::test]
async fn secret_of_a_link_is_no_session() {
    let platform = platform().await;
    let link = platform.link().await;
    let secret = link.query().unwrap().trim_start_matches("link=").to_owned();
    let status = platform.status(0, &format!("gatepost={secret}")).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    let session = platform.session().await;
    let mut other = link;
    let secret = session.trim_start_matches("gatepost=");
    other.query_pairs_mut().clear().append_pair("link", secret);
    assert_eq!(platform.press(0, &other).await.status(), StatusCode::GONE);
}

#[tokio::test]
async fn form_of_another_site_opens_no_session() {
    let platform = platform().await;
    let link = platform.link().await;
    let secret = link.query_pairs().next().unwrap().1.into_owned();
    for site in ["cross-site", "same-site"] {
        let request = client().post(platform.at(0, "/console/open"));
        let request = request.header("sec-fetch-site", site);
        let refused = with_field(request, "link", &secret).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{site}");
        assert!(!refused.headers().contains_key("set-cookie"), "{site}");
    }
    assert_eq!(
        platform.press(0, &link).await.status(),
        StatusCode::SEE_OTHER
    );
}

#[tokio::test]
async fn session_ends_after_inactivity_or_twelve_hours() {
    let platform = platform().await;
    let cookie = platform.session().await;
    platform.pass(29 * MINUTE);
    assert_eq!(platform.status(1, &cookie).await, StatusCode::OK);
    // A page that refreshes itself is not a user's visit.
    platform.pass(29 * MINUTE);
    let poll = platform.get(1, "/console/deliveries/live", &cookie).await;
    assert_ne!(poll.status(), StatusCode::UNAUTHORIZED);
    platform.pass(1 * MINUTE);
    assert_eq!(platform.status(0, &cookie).await, StatusCode::SEE_OTHER);

    let cookie = platform.session().await;
    for _ in 0..26 {
        platform.pass(27 * MINUTE);
        assert_eq!(platform.status(0, &cookie).await, StatusCode::OK);
    }
    platform.pass(18 * MINUTE);
    assert_eq!(platform.status(0, &cookie).await, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn ended_user_sessions_are_closed_in_every_process() {
    let platform = platform().await;
    let (cookie, link) = (platform.session().await, platform.link().await);
    platform.consoles[1].end_sessions(OwnerId(1)).await.unwrap();
    assert_eq!(platform.status(0, &cookie).await, StatusCode::OK);
    platform.consoles[1].end_sessions(USER).await.unwrap();
    assert_eq!(platform.status(0, &cookie).await, StatusCode::SEE_OTHER);
    assert_eq!(platform.press(0, &link).await.status(), StatusCode::GONE);
    let led = platform.get(0, "/console/keys", &cookie).await;
    let page = platform
        .get(0, led.headers()["location"].to_str().unwrap(), "")
        .await;
    assert_eq!(page.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn new_link_in_a_browser_ends_its_session() {
    let platform = platform().await;
    let (before, link) = (platform.session().await, platform.link().await);
    let secret = link.query_pairs().next().unwrap().1.into_owned();
    let request = client().post(platform.at(1, "/console/open"));
    let request = request.header("cookie", &before);
    let opened = with_field(request, "link", &secret).send().await.unwrap();
    assert_eq!(platform.status(0, &before).await, StatusCode::SEE_OTHER);
    assert_eq!(
        platform.status(0, &cookie_of(&opened)).await,
        StatusCode::OK
    );
}

#[tokio::test]
async fn logout_needs_the_token_and_ends_the_session() {
    let platform = platform().await;
    let cookie = platform.session().await;
    let page = platform
        .get(0, "/console/keys", &cookie)
        .await
        .text()
        .await
        .unwrap();
    let form = page.split("action=\"/console/logout\"").nth(1).unwrap();
    let token = form
        .split("value=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let log_out = async |token: &str| {
        let request = client().post(platform.at(1, "/console/logout"));
        let request = with_field(request.header("cookie", &cookie), "csrf", token);
        request.send().await.unwrap().status()
    };
    assert_eq!(log_out("").await, StatusCode::FORBIDDEN);
    assert_eq!(platform.status(0, &cookie).await, StatusCode::OK);
    assert_eq!(log_out(token).await, StatusCode::SEE_OTHER);
    assert_eq!(platform.status(0, &cookie).await, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn caller_with_narrowed_grant_gets_no_link() {
    let platform = platform().await;
    let console = &platform.consoles[0];
    let key = principal(Via::Key(KeyId(1)));
    console.link(&key, "ulf").await.unwrap();
    let narrow = key.clone().with_grant(Grant::new(
        true,
        TableNames::default(),
        ScopeNames::default(),
    ));
    let refused = console.link(&narrow, "ulf").await;
    assert!(matches!(refused, Err(LinkError::Restricted)), "{refused:?}");
    let ours = Console::builder(platform.site.management.clone(), Arc::new(Nobody));
    let refused = ours.build().link(&key, "ulf").await;
    assert!(matches!(refused, Err(LinkError::NoLinks)), "{refused:?}");
}

#[tokio::test]
async fn secrets_of_links_are_in_no_debug() {
    let platform = platform().await;
    let link = platform.link().await;
    let secret = link.query_pairs().next().unwrap().1.into_owned();
    assert!(!format!("{:?}", platform.consoles).contains(&secret));
}
