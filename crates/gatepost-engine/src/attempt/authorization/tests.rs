//! An OAuth 2 client over a scripted network, in virtual time.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{ErrorClass, Phase, Preview, TargetRefusal};
use gatepost_storage::Revision;
use tokio::task::JoinSet;
use tokio::time::{Instant, advance, sleep};
use webhook_model::{ClientAuthentication, OwnerId, TargetUrl, Webhook, WebhookId};

use super::*;
use crate::meter::tests::Gauges;
use crate::routes::WebhookCache;
use crate::testing::{Records, noon, responded};

const SECRET: &str = "cl1ent-s3cret";
const WRONG: u16 = 401;
/// A token that the target accepts only if its script says so.
const REVOKED: &str = "Bearer revoked";

/// A response of a token endpoint, and its delay.
#[derive(Clone, Debug)]
struct Answer {
    status: u16,
    body: String,
    after: Duration,
}

fn token(name: &str, expires_in: u64) -> Answer {
    Answer {
        status: 200,
        body: format!(
            r#"{{"access_token":"{name}","token_type":"Bearer","expires_in":{expires_in}}}"#
        ),
        after: Duration::from_secs(1),
    }
}

/// A token endpoint that responds in turn, then hangs; a target that responds in turn, then with
/// 200, or 401 to a token that was revoked. Requests are recorded: `token`, or the credentials that
/// were sent to the target.
#[derive(Debug, Default)]
struct Net {
    tokens: Mutex<VecDeque<Answer>>,
    statuses: Mutex<VecDeque<u16>>,
    seen: Mutex<Vec<String>>,
    groups: Mutex<Vec<Option<u128>>>,
    /// Whether each request is sent once more, over a new connection.
    repeats: AtomicBool,
}

impl Net {
    fn new(tokens: &[Answer], statuses: &[u16]) -> Arc<Self> {
        Arc::new(Self {
            tokens: Mutex::new(tokens.iter().cloned().collect()),
            statuses: Mutex::new(statuses.iter().copied().collect()),
            seen: Mutex::default(),
            groups: Mutex::default(),
            repeats: AtomicBool::new(false),
        })
    }

    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    async fn respond(&self, request: &Request, now: DateTime<Utc>) -> Attempt {
        self.groups.lock().unwrap().push(request.group());
        let mut headers = request.headers();
        let authorization = headers.find(|(name, _)| *name == "Authorization");
        let authorization = authorization.map(|(_, value)| value.to_vec());
        let authorization = String::from_utf8(authorization.unwrap_or_default()).unwrap();
        if request.url().host_str() != Some("id.example.com") {
            sleep(Duration::from_millis(1)).await;
            let status = self.statuses.lock().unwrap().pop_front();
            let otherwise = if authorization == REVOKED { WRONG } else { 200 };
            self.seen.lock().unwrap().push(authorization);
            return responded(status.unwrap_or(otherwise), now);
        }
        self.seen.lock().unwrap().push("token".to_owned());
        assert!(authorization.starts_with("Basic "), "{authorization}");
        let answer = self.tokens.lock().unwrap().pop_front();
        let answer = answer.filter(|answer| answer.after < request.timeout());
        let Some(answer) = answer else {
            sleep(request.timeout()).await;
            return Attempt::unsent(ErrorClass::Timeout(Phase::Head), now);
        };
        sleep(answer.after).await;
        let mut attempt = responded(answer.status, now);
        attempt.body.bytes = answer.body.into();
        attempt
    }
}

impl Transport for Net {
    fn send<'a>(
        &'a self,
        request: &'a Request,
        now: DateTime<Utc>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'a>> {
        Box::pin(async move {
            let mut attempt = self.respond(request, now).await;
            attempt.repeated = self.repeats.load(Ordering::Relaxed);
            attempt
        })
    }

    fn preview(&self, _: &Request, _: DateTime<Utc>) -> Result<Preview, ErrorClass> {
        Err(ErrorClass::Protocol)
    }

    fn check_url(&self, _: &TargetUrl) -> Result<(), TargetRefusal> {
        Ok(())
    }

    fn check_target<'a>(
        &'a self,
        _: &'a TargetUrl,
    ) -> Pin<Box<dyn Future<Output = Result<(), ErrorClass>> + Send + 'a>> {
        Box::pin(async { Ok(()) })
    }
}

fn authorization() -> Authorization {
    let client = OAuth2::new("https://id.example.com/token", "me", SECRET).unwrap();
    let client = client.with_authentication(ClientAuthentication::Basic);
    Authorization::OAuth2(Box::new(client))
}

fn route() -> Arc<Route> {
    let url = "https://example.com/in".parse().unwrap();
    Arc::new(Route::unstored(Webhook {
        authorization: authorization(),
        ..Webhook::new(OwnerId(1), "w".parse().unwrap(), url)
    }))
}

async fn attempt(net: &Arc<Net>, route: &Arc<Route>) -> Sent {
    let request = route.request(&"msg_1".parse().unwrap(), &"hello".into());
    send(&**net, route, request.unwrap(), noon()).await
}

/// Makes concurrent attempts; returns whether each was a success.
async fn at_once(net: &Arc<Net>, route: &Arc<Route>, number: usize) -> Vec<Attempt> {
    let mut all = JoinSet::new();
    for _ in 0..number {
        let (net, route) = (net.clone(), route.clone());
        all.spawn(async move { attempt(&net, &route).await.attempt });
    }
    all.join_all().await
}

#[tokio::test(start_paused = true)]
async fn token_is_reused_until_shortly_before_expiry() {
    let (net, route) = (Net::new(&[token("a", 100), token("b", 100)], &[]), route());
    for (wait, expected) in [
        (0, &["token", "Bearer a"][..]),
        (68, &["Bearer a"]),
        (2, &["token", "Bearer b"]),
    ] {
        advance(Duration::from_secs(wait)).await;
        let sent = attempt(&net, &route).await;
        assert!(sent.attempt.is_success());
        assert_eq!(net.seen(), expected, "after {wait} more seconds");
    }
}

#[tokio::test(start_paused = true)]
async fn target_and_token_requests_use_owners_group() {
    let (net, route) = (Net::new(&[token("a", 100)], &[]), route());
    attempt(&net, &route).await;
    assert_eq!(*net.groups.lock().unwrap(), [Some(1); 2]);
}

#[tokio::test(start_paused = true)]
async fn repeated_requests_of_targets_and_endpoints_are_counted() {
    let counters = Gauges::default();
    let _guard = metrics::set_default_local_recorder(&counters);
    let count = || counters.count("gatepost_repeated_requests_total");
    let (net, route) = (Net::new(&[token("a", 100)], &[]), route());
    attempt(&net, &route).await;
    assert_eq!(count(), 0);
    net.repeats.store(true, Ordering::Relaxed);
    attempt(&net, &route).await;
    assert_eq!(count(), 1, "the token was at hand");
    let (net, other) = (Net::new(&[token("a", 100)], &[]), self::route());
    net.repeats.store(true, Ordering::Relaxed);
    attempt(&net, &other).await;
    assert_eq!(count(), 3);
    let url = "https://example.com/in".parse().unwrap();
    let plain = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    let sent = attempt(&net, &Arc::new(Route::unstored(plain))).await;
    assert!(sent.attempt.repeated);
    assert_eq!(count(), 4);
}

#[tokio::test(start_paused = true)]
async fn token_is_reused_despite_large_webhooks_of_others() {
    let (net, records) = (Net::new(&[token("a", 3600)], &[]), Records::new());
    let ours = records.webhook(|webhook| {
        webhook.owner = OwnerId(2);
        webhook.authorization = authorization();
    });
    let ours = ours.await;
    let others = records.large_webhooks(1, 100).await;
    let webhooks = WebhookCache::with_memory(records.store.clone(), 1024 * 1024);
    for expected in [&["token", "Bearer a"][..], &["Bearer a"]] {
        let route = webhooks.get(ours, Revision::FIRST).await.unwrap();
        let sent = attempt(&net, &route.unwrap()).await;
        assert!(sent.attempt.is_success());
        assert_eq!(net.seen(), expected);
        for other in &others {
            webhooks.get(*other, Revision::FIRST).await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn large_token_counts_among_its_owners_webhooks() {
    let (long, records) = ("a".repeat(16 * 1024), Records::new());
    let webhooks = WebhookCache::with_memory(records.store.clone(), 64 * 1024);
    let mut ids = Vec::new();
    for _ in 0..10 {
        let webhook = records.webhook(|webhook| webhook.authorization = authorization());
        ids.push(webhook.await);
    }
    let cached = |id: &&WebhookId| webhooks.cached(**id, Revision::FIRST).is_some();
    for id in &ids {
        webhooks.get(*id, Revision::FIRST).await.unwrap();
    }
    assert_eq!(ids.iter().filter(cached).count(), ids.len());
    for id in &ids {
        let net = Net::new(&[token(&long, 3600)], &[]);
        let route = webhooks.get(*id, Revision::FIRST).await.unwrap();
        assert!(attempt(&net, &route.unwrap()).await.attempt.is_success());
    }
    ids.retain(|id| cached(&id));
    let held = ids.iter().filter(cached).count();
    assert_eq!(held, 3, "of 16 KiB each in 64 KiB");
}

#[tokio::test(start_paused = true)]
async fn concurrent_deliveries_fetch_one_token() {
    let (net, route) = (Net::new(&[token("a", 3600)], &[]), route());
    let all = at_once(&net, &route, 20).await;
    assert!(all.iter().all(Attempt::is_success));
    let seen = net.seen();
    assert_eq!(seen.iter().filter(|what| *what == "token").count(), 1);
    assert_eq!(seen.iter().filter(|what| *what == "Bearer a").count(), 20);
}

#[tokio::test(start_paused = true)]
async fn refused_token_is_refetched_and_request_resent() {
    let tokens = [token("a", 3600), token("b", 3600)];
    let (net, route) = (Net::new(&tokens, &[200, WRONG, 200]), route());
    attempt(&net, &route).await;
    net.seen();
    let sent = attempt(&net, &route).await;
    assert_eq!(net.seen(), ["Bearer a", "token", "Bearer b"]);
    let info = "delivered with status 200 (second request, with a new access token)";
    assert_eq!(sent.attempt.status_info(), info);
    let tokens: Vec<_> = sent.tokens.iter().map(Secret::expose).collect();
    assert_eq!(tokens, ["a", "b"], "both are hidden in the log");
    assert_eq!(sent.attempt.started, noon());
}

#[tokio::test(start_paused = true)]
async fn concurrent_token_refusals_fetch_one_new_token() {
    let tokens = [token("revoked", 3600), token("b", 3600)];
    let (net, route) = (Net::new(&tokens, &[200]), route());
    attempt(&net, &route).await;
    net.seen();
    let all = at_once(&net, &route, 20).await;
    assert!(
        all.iter()
            .all(|attempt| attempt.is_success() && attempt.renewed)
    );
    let fetched = net.seen().iter().filter(|what| *what == "token").count();
    assert_eq!(fetched, 1);
}

#[tokio::test(start_paused = true)]
async fn refused_new_token_costs_one_fetch_per_attempt() {
    let tokens = [token("a", 3600), token("b", 3600), token("c", 3600)];
    let (net, route) = (Net::new(&tokens, &[WRONG; 9]), route());
    for expected in ["Bearer a", "Bearer b"] {
        let sent = attempt(&net, &route).await;
        assert_eq!(sent.attempt.error(), Some(&ErrorClass::Status(WRONG)));
        assert_eq!(net.seen(), ["token", expected]);
    }
}

#[tokio::test(start_paused = true)]
async fn hanging_token_endpoint_asked_once_fails_within_timeout() {
    let (net, route) = (Net::new(&[], &[]), route());
    let began = Instant::now();
    let all = at_once(&net, &route, 20).await;
    let timeout = route.webhook.timeout.as_duration();
    assert!(began.elapsed() <= timeout + Duration::from_millis(50));
    for attempt in all {
        assert_eq!(attempt.error().map(ErrorClass::code), Some("token"));
    }
    assert_eq!(net.seen(), ["token"], "the target was not asked");
}

#[tokio::test(start_paused = true)]
async fn token_failure_is_shared_and_next_attempt_retries() {
    let refused = Answer {
        status: 503,
        ..token("x", 0)
    };
    let (net, route) = (Net::new(&[refused, token("a", 3600)], &[]), route());
    let all = at_once(&net, &route, 20).await;
    assert!(all.iter().all(|attempt| !attempt.is_success()));
    assert_eq!(net.seen(), ["token"]);
    assert!(attempt(&net, &route).await.attempt.is_success());
    assert_eq!(net.seen(), ["token", "Bearer a"]);
}

#[tokio::test(start_paused = true)]
async fn token_endpoint_error_is_reported_without_its_text() {
    let echo = format!(r#"{{"error":"invalid_client","error_description":"{SECRET}"}}"#);
    for (status, body, expected) in [
        (
            400,
            echo.as_str(),
            "it responded with status 400 (invalid_client)",
        ),
        (500, SECRET, "it responded with status 500"),
        (
            200,
            SECRET,
            "its response is not understood: it is not the JSON object of RFC 6749",
        ),
        (302, "", "it responded with status 302"),
    ] {
        let answer = Answer {
            status,
            body: body.to_owned(),
            after: Duration::ZERO,
        };
        let (net, route) = (Net::new(&[answer], &[]), route());
        let sent = attempt(&net, &route).await;
        let expected = format!("no access token from the token endpoint: {expected}");
        assert_eq!(sent.attempt.status_info(), expected);
        let shown = format!("{:?} {sent:?}", route);
        assert!(!shown.contains(SECRET), "{shown}");
    }
}
