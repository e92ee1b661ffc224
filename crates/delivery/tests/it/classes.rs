//! Every class of failure, caused over a socket: its code, and the text for the webhook's owner,
//! which never contains the address behind a name, a header, or a body.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use delivery::{
    Attempt, DnsFault, ErrorClass, Proxy, Resolve, ResolveFuture, Sender, TargetPolicy,
};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use crate::support::certs::{Here, Shown, ca, config, params, trusting};
use crate::support::receiver::{After, Receiver, finish};
use crate::support::request::{local_builder, local_policy, now, post};
use crate::support::tls::{BOTH, TlsReceiver};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A resolver that gives one answer, or none ever.
#[derive(Debug)]
struct Says(Option<Result<Vec<IpAddr>, DnsFault>>);

impl Resolve for Says {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        match self.0.clone() {
            Some(answer) => Box::pin(async { answer }),
            None => Box::pin(std::future::pending()),
        }
    }
}

fn named() -> Sender {
    local_builder().resolver(Arc::new(Here)).build().unwrap()
}

fn says(answer: Option<Result<Vec<IpAddr>, DnsFault>>) -> Sender {
    let sender = local_builder().resolver(Arc::new(Says(answer)));
    sender.build().unwrap()
}

async fn send(sender: &Sender, url: &str) -> Attempt {
    let request = post(url)
        .sensitive_header("authorization", "Bearer s3cret")
        .body("b0dy")
        .timeout(Duration::from_millis(400))
        .build()
        .unwrap();
    sender.send(&request, now()).await
}

/// Sends to a name whose receiver responds with `answer`.
async fn answered(answer: &str, after: After) -> Attempt {
    let receiver = Receiver::start(vec![(answer.as_bytes().to_vec(), after)]).await;
    let url = format!("http://hooks.example:{}/", receiver.addr.port());
    send(&named(), &url).await
}

/// A port on which somebody else speaks first, as a mail server does.
async fn mail_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let greeting = b"220 mail.example ESMTP ready\r\n";
            drop(stream.write_all(greeting).await);
            tokio::spawn(finish(stream, After::Hang));
        }
    });
    port
}

#[tokio::test]
async fn error_class_has_code_and_user_message() {
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap().port()
    };
    let silent = Receiver::start(vec![(Vec::new(), After::Hang)]).await;
    let mail = mail_server().await;
    let root = ca();
    let shown = Shown::self_signed(&params(&["hooks.example"]));
    let stranger = TlsReceiver::start(config(&shown, BOTH, &[]), OK, After::Keep).await;
    let unreachable_proxy = local_builder()
        .resolver(Arc::new(Here))
        .proxy(Proxy::parse(&format!("http://127.0.0.1:{closed}")).unwrap())
        .build()
        .unwrap();
    let strict = Sender::builder(TargetPolicy::public()).resolver(Arc::new(Here));
    let no_port = Sender::builder(local_policy().deny_port(25)).resolver(Arc::new(Here));
    let large = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "x".repeat(1 << 20));
    let lines = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(10_000));
    let status = "HTTP/1.1 418 I'm a teapot\r\ncontent-length: 6\r\n\r\ns3cret";
    let url = |port: u16| format!("http://hooks.example:{port}/");
    let met = [
        (
            send(&says(Some(Ok(vec![]))), "http://hooks.example/").await,
            "dns",
            "could not resolve the host name: no address found",
        ),
        (
            send(&says(Some(Err(DnsFault::Failed))), "http://hooks.example/").await,
            "dns",
            "could not resolve the host name: the name service failed",
        ),
        (
            send(&says(None), "http://hooks.example/").await,
            "timeout",
            "timed out while resolving the host name",
        ),
        (
            send(&strict.build().unwrap(), "http://hooks.example/").await,
            "refused",
            "the target policy refuses loopback addresses",
        ),
        (
            send(&no_port.build().unwrap(), "http://hooks.example:25/").await,
            "refused",
            "the target policy does not allow port 25",
        ),
        (
            send(&named(), &url(closed)).await,
            "connect",
            "could not connect: connection refused",
        ),
        (
            send(&unreachable_proxy, &url(80)).await,
            "proxy",
            "the proxy failed: it cannot be reached",
        ),
        (
            send(
                &trusting(&root).build().unwrap(),
                &stranger.url("hooks.example"),
            )
            .await,
            "tls",
            "TLS: the certificate is self-signed or its issuer is not trusted",
        ),
        (
            send(&named(), &format!("https://hooks.example:{mail}/")).await,
            "tls",
            "TLS: the target does not speak TLS on this port",
        ),
        (
            send(
                &named(),
                &format!("https://hooks.example:{}/", silent.addr.port()),
            )
            .await,
            "timeout",
            "timed out while securing the connection",
        ),
        (
            send(&named(), &url(silent.addr.port())).await,
            "timeout",
            "timed out while waiting for a response",
        ),
        (
            answered("", After::Reset).await,
            "reset",
            "the target closed the connection before it responded",
        ),
        (
            answered("HTTP/1.1 20", After::Close).await,
            "reset",
            "the target closed the connection before it responded",
        ),
        (
            send(&named(), &url(mail)).await,
            "protocol",
            "the target's response is not valid HTTP",
        ),
        (
            answered("<html>s3cret</html>", After::Close).await,
            "protocol",
            "the target's response is not valid HTTP",
        ),
        (
            answered(status, After::Keep).await,
            "status",
            "the target responded with status 418",
        ),
        (
            answered(&large, After::Close).await,
            "too_large",
            "the head of the target's response is too large",
        ),
        (
            answered(&lines, After::Close).await,
            "too_large",
            "the head of the target's response is too large",
        ),
    ];
    let mut codes = BTreeSet::new();
    for (attempt, code, words) in met {
        let class = attempt.error().unwrap();
        let told = attempt.status_info();
        assert_eq!(class.code(), code, "{told}");
        assert_eq!(told, class.to_string());
        assert_eq!(told, words);
        for hidden in ["127.0.0.1", "::1", "s3cret", "b0dy", "Bearer"] {
            assert!(!told.contains(hidden), "{told}");
        }
        assert!(attempt.duration < Duration::from_secs(10), "{told}");
        codes.insert(code);
    }
    // `build` never reaches a socket: `request` has its tests.
    let all = "connect dns protocol proxy refused reset status timeout tls too_large";
    assert_eq!(codes.into_iter().collect::<Vec<_>>().join(" "), all);
    assert_eq!(
        ErrorClass::from(delivery::RequestError::Credentials).code(),
        "build"
    );
}
