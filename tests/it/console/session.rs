//! The console admits users that the platform has logged in, and makes no change that one of its
//! forms did not request.

use std::sync::Arc;

use apikey_core::{KeyString, Prefix};
use async_trait::async_trait;
use gatepost_console::{Console, ConsoleLogin, LoggedIn, Visit};
use tests::browser::{Site, Visitor};
use tokio::net::TcpListener;
use webhook_model::OwnerId;

const PAGES: [&str; 12] = [
    "/console/",
    "/console/keys",
    "/console/keys/new",
    "/console/webhooks",
    "/console/webhooks/new",
    "/console/tasks",
    "/console/tasks/new",
    "/console/events",
    "/console/events/new",
    "/console/events/new?type=vms",
    "/console/deliveries",
    "/console/nothing-here",
];

#[tokio::test]
async fn pages_without_session_redirect_to_login_and_back() {
    let site = Site::start().await;
    let nobody = Visitor::stranger(&site);
    for page in PAGES {
        let answer = nobody.get(page).await;
        assert_eq!(answer.status, 303, "{page}");
        assert!(
            answer.to().starts_with("/login?back=%2Fconsole%2F"),
            "{page}"
        );
        assert_eq!(answer.html, "", "{page}");
    }
    let refused = nobody.post("/console/keys/new", &[("name", "x")]).await;
    assert_eq!(refused.status, 401);
    let login = nobody.get(nobody.get("/console/keys").await.to()).await;
    login.shows("value=\"/console/keys\"");
}

#[tokio::test]
async fn pages_have_security_headers_and_no_inline_code() {
    let (_site, admin) = Site::visited_by("admin").await;
    for page in PAGES {
        let answer = admin.get(page).await;
        let expected = if page.ends_with("here") { 404 } else { 200 };
        assert_eq!(answer.status, expected, "{page}");
        let policy = answer.header("content-security-policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(rule), "{page}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{page}: {policy}");
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{page}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{page}");
        assert_eq!(answer.header("cache-control"), "no-store", "{page}");
        for inline in ["<style", " style=", "<script>", " onclick=", "javascript:"] {
            assert!(!answer.has(inline), "{page} has {inline}");
        }
        assert_eq!(answer.html.matches("<script").count(), 1, "{page}");
    }
}

#[tokio::test]
async fn assets_are_immutable_under_content_addressed_names() {
    let site = Site::start().await;
    let page = Visitor::login(&site, "admin").await.get("/console/").await;
    let nobody = Visitor::stranger(&site);
    for (before, kind) in [
        ("type=\"image/svg+xml\" href=\"", "svg"),
        ("rel=\"stylesheet\" href=\"", "css"),
        ("script src=\"", "javascript"),
    ] {
        let path = page.html.split(&format!("{before}/console/assets/")).nth(1);
        let path = path.unwrap().split('"').next().unwrap();
        let asset = nobody.get(&format!("/console/assets/{path}")).await;
        assert_eq!(asset.status, 200, "{path}");
        assert!(asset.header("content-type").contains(kind), "{path}");
        assert!(
            asset.header("cache-control").contains("immutable"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_form_without_the_sessions_token_changes_nothing() {
    let site = Site::start().await;
    let (admin, other) = (
        Visitor::login(&site, "admin").await,
        Visitor::login(&site, "admin").await,
    );
    let hidden = admin.get("/console/keys/new").await.hidden();
    let value = |name: &str| {
        let field = hidden.iter().find(|(known, _)| known == name);
        field.unwrap().1.clone()
    };
    let (token, ticket) = (value("csrf"), value("ticket"));
    let fields = |token: &str| {
        [
            ("csrf", token.to_owned()),
            ("ticket", ticket.clone()),
            ("name", "k".to_owned()),
            ("expires_type", "never".to_owned()),
        ]
    };
    let post = async |visitor: &Visitor, token: &str| {
        let fields = fields(token);
        let fields: Vec<_> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
        visitor.post("/console/keys/new", &fields).await
    };
    for wrong in ["", "AAAA", &token[1..], &token.to_lowercase()] {
        let answer = post(&admin, wrong).await;
        assert_eq!(answer.status, 403, "{wrong:?}");
        assert!(answer.has("Nothing was changed"), "{wrong:?}");
    }
    // A token of one session is invalid in another of the same user.
    assert_eq!(post(&other, &token).await.status, 403);
    // The browser says that another site sent this; another content type is not that of a form.
    let request = |kind: &str, site: &str| {
        let request = admin.request(reqwest::Method::POST, "/console/keys/new");
        let body = format!("csrf={token}&ticket={ticket}&name=k&expires_type=never");
        request
            .header("content-type", kind)
            .header("sec-fetch-site", site)
            .body(body)
    };
    let form = "application/x-www-form-urlencoded";
    for (kind, from) in [
        (form, "cross-site"),
        (form, "same-site"),
        ("text/plain", "same-origin"),
    ] {
        let answer = admin.send(request(kind, from)).await;
        assert_eq!(answer.status, 403, "{kind} {from}");
    }
    assert!(site.heard().is_empty());
    // The same form from this site is accepted.
    admin.send(request(form, "same-origin")).await.expect(200);
    assert!(site.heard()[0].starts_with("1 Create user_api_keys/"));
}

/// If the console is the whole site, an address has only a path: one that begins with two slashes
/// is another site's.
#[tokio::test]
async fn address_containing_key_never_redirects_to_another_site() {
    let site = Site::start().await;
    let key = KeyString::generate(&Prefix::default(), &mut rand::rng()).unwrap();
    let key = key.as_str();
    let console = Console::builder(site.management.clone(), Arc::new(ByHeader));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let router = console.base("/").build().router();
    tokio::spawn(examples::serve::serve(
        listener,
        None,
        router,
        std::future::pending(),
    ));
    let client = reqwest::Client::builder();
    let client = client
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    for path in [
        "//evil.example/",
        "//evil.example/keys",
        "///evil.example",
        "/%2fevil.example/",
        "/\\evil.example/",
    ] {
        // The address is not parsed as a URL, which would normalize it.
        let answer = client
            .get(format!("{base}{path}?q={key}"))
            .send()
            .await
            .unwrap();
        let to = answer
            .headers()
            .get("location")
            .map(|to| to.to_str().unwrap().to_owned());
        let to = to.unwrap_or_default();
        assert!(!to.contains(key), "{path}: {to}");
        let led = url::Url::parse(&base).unwrap().join(&to).unwrap();
        assert!(
            ["127.0.0.1", "sso.example"].contains(&led.host_str().unwrap()),
            "{path}: {to}"
        );
    }
    let answer = client
        .get(format!("{base}/keys?q={key}"))
        .send()
        .await
        .unwrap();
    assert!(
        answer.headers()["location"]
            .to_str()
            .unwrap()
            .starts_with("/keys?q=")
    );
}

#[tokio::test]
async fn disabled_user_is_refused_and_logout_ends_session() {
    let (site, dora) = Site::visited_by("dora").await;
    assert_eq!(dora.get("/console/keys").await.status, 403);
    let ulf = Visitor::login(&site, "ulf").await;
    assert_eq!(ulf.get("/console/keys").await.status, 200);
    ulf.fill("/console/keys", "/logout", &[])
        .await
        .leads_to("/login");
    assert_eq!(ulf.get("/console/keys").await.status, 303);
}

#[tokio::test]
async fn oversized_form_is_refused_on_its_page() {
    let (_site, admin) = Site::visited_by("admin").await;
    let large = "x".repeat(5 * 1024 * 1024);
    let answer = admin
        .submit("/console/tasks/new", &[("message", &large)])
        .await;
    assert_eq!(answer.status, 413);
    assert!(answer.has("too large"));
}

/// A platform whose proxy says who is logged in.
#[derive(Debug)]
struct ByHeader;

#[async_trait]
impl ConsoleLogin for ByHeader {
    async fn who(&self, request: &axum::http::request::Parts, _visit: Visit) -> Option<LoggedIn> {
        let user = request.headers.get("x-user")?.to_str().ok()?;
        Some(LoggedIn::new(
            OwnerId(user.parse().ok()?),
            format!("user <{user}>"),
            user,
        ))
    }

    fn login_url(&self, back: &str) -> String {
        format!("https://sso.example/?to={back}")
    }
}

#[tokio::test]
async fn platform_configures_path_title_colours_and_login() {
    let site = Site::start().await;
    let console = Console::builder(site.management.clone(), Arc::new(ByHeader))
        .base("/admin/ui/")
        .title("Acme & Co")
        .theme(":root { --accent: #064; }")
        .logo("<svg xmlns='http://www.w3.org/2000/svg'/>")
        .header("<nav class='acme'>Acme</nav>")
        .footer("<a href='/imprint'>Imprint</a>")
        .frame_ancestors(["https://app.acme.example/x", "data:,"].map(|url| url.parse().unwrap()))
        .csrf_secret([7; 32])
        .build();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let forever = std::future::pending();
    tokio::spawn(examples::serve::serve(
        listener,
        None,
        console.router(),
        forever,
    ));
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let get = async |path: &str, user: &str| {
        let request = client.get(format!("{base}{path}")).header("x-user", user);
        request.send().await.unwrap()
    };
    let to = |answer: &reqwest::Response| answer.headers()["location"].to_str().unwrap().to_owned();
    assert_eq!(to(&get("/admin/ui", "3").await), "/admin/ui/");
    assert_eq!(
        to(&get("/admin/ui/keys?a=1", "").await),
        "https://sso.example/?to=/admin/ui/keys?a=1"
    );
    let answer = get("/admin/ui/", "3").await;
    let policy = answer.headers()["content-security-policy"]
        .to_str()
        .unwrap();
    let framed = "; frame-ancestors https://app.acme.example";
    assert!(policy.ends_with(framed), "{policy}");
    assert!(!answer.headers().contains_key("x-frame-options"));
    let page = answer.text().await.unwrap();
    let parts = [
        "<nav class='acme'>Acme</nav>",
        "<header",
        "<img src=\"/admin/ui/assets/logo.",
        "<a href='/imprint'>",
    ];
    let places = parts.map(|part| page.find(part).unwrap_or_default());
    assert!(places[0] > 0 && places.is_sorted(), "{page}");
    assert!(
        page.contains("Acme &amp; Co") && page.contains("user &lt;3&gt;"),
        "{page}"
    );
    assert!(
        !page.contains("Log out") && !page.contains("\"/console"),
        "{page}"
    );
    let theme = page.split("/admin/ui/assets/theme.").nth(1).unwrap();
    let theme = format!(
        "/admin/ui/assets/theme.{}",
        theme.split('"').next().unwrap()
    );
    assert!(page.find("assets/console").unwrap() < page.find("assets/theme").unwrap());
    assert_eq!(
        get(&theme, "").await.text().await.unwrap(),
        ":root { --accent: #064; }"
    );
    assert_eq!(get("/console/", "3").await.status(), 404);
    assert_eq!(get("/admin/ui/nothing", "3").await.status(), 404);
}
