//! Secrets in a request appear in no log line, no error text and no debug form.

use std::io::Write;
use std::sync::{Arc, Mutex};

use delivery::{Proxy, Sender, SigningKeys};

use crate::captured_log::heard;
use crate::support::certs::{Shown, ca, config, params, trusting};
use crate::support::receiver::{After, local_sender};
use crate::support::request::{now, post};
use crate::support::tls::{BOTH, TlsReceiver};

/// `whsec_` and the base64 of `canary`, repeated.
const SECRET: &str = "whsec_Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5";

const PLANTED: [&str; 3] = ["canary", "Y2FuYXJ5", "63616e617279"];

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

async fn send_with_canaries(sender: &Sender, url: &str) -> String {
    let request = post(&format!("{url}path-canary?token=canary"))
        .sensitive_header("authorization", "Bearer canary")
        .sensitive_header("x-api-key", "canary")
        .body("{\"text\":\"canary\"}")
        .delivery_id("msg_1")
        .signing(SigningKeys::parse([SECRET]).unwrap())
        .build()
        .unwrap();
    let attempt = sender.send(&request, now()).await;
    let preview = sender.preview(&request, now()).unwrap();
    format!(
        "{request:?}\n{sender:?}\n{attempt:?}\n{}\n{preview:?}\n",
        attempt.status_info()
    )
}

#[tokio::test]
async fn no_planted_secret_is_ever_shown() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = heard(subscriber);

    let root = ca();
    let answer = "HTTP/1.1 500 canary\r\nset-cookie: a=canary\r\ncontent-length: 6\r\n\r\ncanary";
    let receiver = TlsReceiver::start(
        config(&Shown::issued(&root, &params(&["a.example"])), BOTH, &[]),
        answer,
        After::Keep,
    )
    .await;
    let dead = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let proxy = Proxy::parse(&format!("http://user:canary@{dead}")).unwrap();
    let mut shown = format!("{proxy:?}");
    shown += &send_with_canaries(
        &trusting(&root).build().unwrap(),
        &receiver.url("a.example"),
    )
    .await;
    shown += &send_with_canaries(
        &trusting(&root).proxy(proxy).build().unwrap(),
        "http://a.example/",
    )
    .await;
    shown += &send_with_canaries(&local_sender(), &format!("http://{dead}/")).await;
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();

    // The control: something was logged, and by us.
    assert!(
        logged.contains("attempt ended") && logged.contains("a.example"),
        "{logged}"
    );
    for planted in PLANTED {
        let ours: Vec<_> = logged
            .lines()
            .filter(|line| line.contains(planted))
            .collect();
        assert!(ours.is_empty(), "{ours:#?}");
        assert!(!shown.contains(planted), "{shown}");
    }
}
