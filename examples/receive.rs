//! A receiver that accepts only signed messages, and acts once on a message that is delivered
//! twice.
//!
//! `cargo run --example receive` is its own sender and ends with success only if every claim held.

use std::collections::HashSet;
use std::error::Error;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use delivery::{Request, RequestBuilder, Sender, SigningKeys, TargetPolicy, Verifier};
use examples::story::Story;
use gatepost_storage::{Clock, SystemClock};
use tokio::net::TcpListener;

type Failure = Box<dyn Error + Send + Sync>;

/// A secret that both sides know; with `whsk_` keys (ed25519) the receiver could check without
/// being able to sign.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT_SECRET: &str = "whsec_c2VjcmV0cy1yb3RhdGUtbm93LWFuZC10aGVu";

struct Inbox {
    verifier: Verifier,
    /// Ids that were acted on. A real receiver keeps them in its database, in the transaction in
    /// which it acts, for as long as deliveries may be repeated.
    seen: Mutex<HashSet<String>>,
}

/// Responds 401 and nothing else to an unsigned message: a reason would help only a forger.
async fn receive(State(inbox): State<Arc<Inbox>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let verified = inbox.verifier.verify(
        header("webhook-id").unwrap_or_default(),
        header("webhook-timestamp").unwrap_or_default(),
        header("webhook-signature").unwrap_or_default(),
        &body,
        SystemClock.now(),
    );
    let Ok(verified) = verified else {
        return StatusCode::UNAUTHORIZED;
    };
    let mut seen = inbox.seen.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.insert(verified.id) {
        StatusCode::CREATED // the first time: this is where it would act
    } else {
        StatusCode::OK // known: a success too, or the sender would retry
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let keys = [SECRET.parse()?, NEXT_SECRET.parse()?];
    let inbox = Arc::new(Inbox {
        verifier: Verifier::new(keys),
        seen: Mutex::default(),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url: url::Url = format!("http://{}/hooks", listener.local_addr()?).parse()?;
    let router = Router::new()
        .route("/hooks", post(receive))
        .with_state(inbox);
    tokio::spawn(axum::serve(listener, router).into_future());

    let sender = Sender::builder(TargetPolicy::public().allow("127.0.0.0/8".parse()?)).build()?;
    let status = async |request: RequestBuilder, seconds_late: i64| -> Result<u16, Failure> {
        let at = SystemClock.now() - chrono::TimeDelta::seconds(seconds_late);
        let attempt = sender.send(&request.build()?, at).await;
        attempt.status.ok_or_else(|| attempt.status_info().into())
    };
    let message = |id: &str| {
        Request::builder(url.clone())
            .body(r#"{"text":"vm-1 is on"}"#)
            .delivery_id(id)
    };
    let signed = |id: &str, secret: &str| -> Result<RequestBuilder, Failure> {
        Ok(message(id).signing(SigningKeys::parse([secret])?))
    };

    let mut story = Story::default();
    story.chapter("A receiver that checks signatures");
    let first = status(signed("msg_1", SECRET)?, 0).await?;
    story.claim("a signed delivery is taken", first == 201);
    let again = status(signed("msg_1", SECRET)?, 0).await?;
    story.claim(
        "the same delivery again is confirmed and not acted on",
        again == 200,
    );
    let rotated = status(signed("msg_2", NEXT_SECRET)?, 0).await?;
    story.claim(
        "while secrets are rotated the next one is good too",
        rotated == 201,
    );
    let unsigned = status(message("msg_3"), 0).await?;
    story.claim("without a signature it is refused", unsigned == 401);
    let stranger = "whsec_bm90LXRoZS1zZWNyZXQtdGhhdC13ZS1zaGFyZQ==";
    let forged = status(signed("msg_4", stranger)?, 0).await?;
    story.claim("signed by somebody else it is refused", forged == 401);
    let replayed = status(signed("msg_5", SECRET)?, 600).await?;
    story.claim("signed ten minutes ago it is refused", replayed == 401);
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
