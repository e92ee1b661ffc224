//! A session ends: by the form that logs out, by a new login, and after inactivity. That it ends
//! half a day after its login is tested in `security::entry_points`.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::ManualClock;
use reqwest::Method;
use tempfile::tempdir;
use tests::browser::{PASSWORD, Site, Visitor};
use tests::platform::{PASSWORD as ADMIN, PlatformProcess};

const MINUTE: Duration = Duration::from_secs(60);

async fn site() -> (Site, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::at("2026-11-20T12:00:00Z".parse().unwrap()));
    (Site::start_at(clock.clone()).await, clock)
}

async fn is_in(visitor: &Visitor) -> bool {
    visitor.get("/console/keys").await.status == 200
}

/// SPEC 5.1 rule 3.
#[tokio::test]
async fn polling_page_does_not_prolong_session() {
    let (site, clock) = site().await;
    let (watching, marked) = (
        Visitor::login(&site, "admin").await,
        Visitor::login(&site, "admin").await,
    );
    let person = Visitor::login(&site, "admin").await;
    for minutes in 1..30 {
        clock.advance(MINUTE);
        // The routes of live parts are polls, even if no script says so.
        for live in ["/console/live", "/console/deliveries/live?top=1"] {
            let status = watching.get(live).await.status;
            assert_eq!(status, 200, "{live} {minutes}");
        }
        let request = marked.request(Method::GET, "/console/keys");
        let answer = marked
            .send(request.header("x-gatepost-visit", "poll"))
            .await;
        assert_eq!(answer.status, 200, "{minutes}");
        assert!(is_in(&person).await, "{minutes}");
    }
    clock.advance(MINUTE);
    assert_eq!(watching.get("/console/live").await.status, 401);
    assert!(!is_in(&watching).await && !is_in(&marked).await);
    assert!(is_in(&person).await);
}

#[tokio::test]
async fn logout_requires_session_token_and_ends_session() {
    let (site, _) = site().await;
    let (ulf, tina) = (
        Visitor::login(&site, "ulf").await,
        Visitor::login(&site, "tina").await,
    );
    let token = |page: &tests::browser::Page| {
        let hidden = page.hidden();
        hidden
            .into_iter()
            .find(|(name, _)| name == "logout")
            .unwrap()
            .1
    };
    let own = token(&ulf.get("/console/keys").await);
    let others = token(&tina.get("/console/keys").await);
    assert_eq!(ulf.get("/logout").await.status, 405);
    assert_eq!(ulf.post("/logout", &[]).await.status, 403);
    for wrong in ["", "AAAA", &others, &own[1..]] {
        assert_eq!(ulf.post("/logout", &[("logout", wrong)]).await.status, 403);
    }
    let elsewhere = ulf
        .request(Method::POST, "/logout")
        .header("sec-fetch-site", "cross-site")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("logout={own}"));
    assert_eq!(ulf.send(elsewhere).await.status, 403);
    assert!(is_in(&ulf).await && is_in(&tina).await);
    let answer = ulf.post("/logout", &[("logout", &own)]).await;
    answer.leads_to("/login");
    assert!(answer.header("set-cookie").contains("Max-Age=0"));
    assert!(!is_in(&ulf).await, "the cookie is good no more");
    assert!(is_in(&tina).await);
}

#[tokio::test]
async fn new_login_replaces_session_with_new_secret() {
    let (site, _) = site().await;
    let before = Visitor::login(&site, "ulf").await;
    let form = [("user", "tina"), ("password", PASSWORD)];
    let answer = before.post("/login", &form).await;
    assert_eq!(answer.status, 303);
    let cookie = answer.header("set-cookie").split(';').next().unwrap();
    assert_ne!(cookie, before.cookie);
    assert!(!is_in(&before).await);
    // A value that an attacker set before the login is not a session after it.
    let mut planted = Visitor::stranger(&site);
    planted.cookie = format!("session={}", "0".repeat(64));
    assert_eq!(planted.post("/login", &form).await.status, 303);
    assert!(!is_in(&planted).await);
}

#[tokio::test]
async fn login_redirects_only_to_pages_of_this_site() {
    let (site, _) = site().await;
    let nobody = Visitor::stranger(&site);
    for (back, to) in [
        ("/console/keys?name=a%20b", "/console/keys?name=a%20b"),
        ("/\t/evil.example", "/console/"),
        ("/\u{1}", "/console/"),
        ("/a\r\nset-cookie: a=b", "/console/"),
        ("/%0d%0aset-cookie:%20a=b", "/console/"),
        ("//evil.example", "/console/"),
        ("/\\evil.example", "/console/"),
        ("/%5cevil.example", "/console/"),
        ("/%2fevil.example", "/console/"),
        ("/\u{202e}\u{ff0f}evil", "/console/"),
        ("https://evil.example", "/console/"),
    ] {
        let form = [("user", "ulf"), ("password", PASSWORD), ("back", back)];
        let answer = nobody.post("/login", &form).await;
        assert_eq!((answer.status, answer.to()), (303, to), "{back:?}");
    }
    let page = nobody.get("/login?back=/%09/evil.example").await;
    page.shows("value=\"/console/\"");
}

#[tokio::test]
async fn second_cookie_header_keeps_session_valid() {
    let (site, _) = site().await;
    let mut ulf = Visitor::login(&site, "ulf").await;
    let session = std::mem::replace(&mut ulf.cookie, "theme=dark".into());
    let request = ulf.request(Method::GET, "/console/keys");
    // The visitor's own header comes last.
    let answer = ulf.send(request.header("cookie", &session)).await;
    assert_eq!(answer.status, 200);
    let request = ulf.request(Method::GET, "/console/keys");
    let request = request.header("cookie", "theme=dark");
    ulf.cookie = session;
    assert_eq!(ulf.send(request).await.status, 200);
}

/// RFC 9113 §8.2.3: over HTTP/2 each cookie may have its own header.
#[test]
fn second_cookie_header_over_http2_keeps_session_valid() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let program = env!("CARGO_BIN_EXE_host");
    let host = PlatformProcess::start(program, &data, &["--tls-self-signed"]);
    let certificate = data.join("cert.pem");
    let form = format!("user=admin&password={}", ADMIN.replace(' ', "+"));
    let login = curl(
        &certificate,
        &["-d", &form, &format!("{}/login", host.base)],
    );
    let cookie = login.split("__Host-session=").nth(1).unwrap();
    let secret = cookie.split(';').next().unwrap();
    assert!(cookie.contains("; Secure"), "{login}");
    let (other, own) = (
        "cookie: theme=dark",
        format!("cookie: __Host-session={secret}"),
    );
    for headers in [[other, &own], [&own, other]] {
        let page = format!("{}/console/keys", host.base);
        let answer = curl(&certificate, &["-H", headers[0], "-H", headers[1], &page]);
        assert!(answer.starts_with("HTTP/2 200"), "{answer}");
    }
}

/// Returns the output of curl for a response, head and body.
fn curl(certificate: &Path, arguments: &[&str]) -> String {
    let mut curl = Command::new("curl");
    curl.args(["-sS", "-i", "--http2", "--cacert"])
        .arg(certificate);
    let output = curl.args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Browsers send `sec-fetch-site` only over TLS and to this machine, but the origin everywhere.
#[tokio::test]
async fn no_other_site_logs_a_visitor_in() {
    let site = Site::start().await;
    let stranger = Visitor::stranger(&site);
    let here = site.url("");
    let login = async |name: &'static str, value: &str| {
        let request = stranger.request(Method::POST, "/login").header(name, value);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let form = format!("user=admin&password={PASSWORD}");
        stranger.send(request.body(form)).await.status
    };
    for other in ["http://elsewhere.example", "null", "http://127.0.0.2", ""] {
        assert_eq!(login("origin", other).await, 403, "{other}");
    }
    assert_eq!(login("sec-fetch-site", "cross-site").await, 403);
    assert_eq!(login("origin", &here).await, 303);
    // A proxy may remove the port from `Host`.
    assert_eq!(login("origin", "http://127.0.0.1:1").await, 303);
    assert_eq!(login("sec-fetch-site", "same-origin").await, 303);
}
