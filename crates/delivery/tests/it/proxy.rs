//! Requests through proxies: the policy holds, and the proxy is asked for the checked address.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{ErrorClass, Phase, Proxy, ProxyFault, Sender, TargetPolicy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::support::certs::Here;
use crate::support::receiver::Receiver;
use crate::support::request::{local_builder, local_policy, now, post};
use crate::support::wire::read_request;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A fake proxy: the requests that it received, and its address.
pub(crate) struct Fake {
    pub(crate) addr: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    async fn listen() -> (TcpListener, Self) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        (
            listener,
            Self {
                addr,
                heard: Arc::default(),
            },
        )
    }

    /// Starts an HTTP CONNECT proxy; it sends `answer` instead of a tunnel if there is one.
    pub(crate) async fn http(answer: Option<&'static str>) -> Self {
        let (listener, fake) = Self::listen().await;
        let heard = fake.heard.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let heard = heard.clone();
                tokio::spawn(async move {
                    let head = read_request(&mut stream).await.unwrap().head;
                    heard.lock().unwrap().push(head.clone());
                    if let Some(answer) = answer {
                        let _ = stream.write_all(answer.as_bytes()).await;
                        return;
                    }
                    let target = head.split(' ').nth(1).unwrap();
                    let mut onward = TcpStream::connect(target).await.unwrap();
                    stream
                        .write_all(b"HTTP/1.1 200 Connection established\r\nX-Proxy: y\r\n\r\n")
                        .await
                        .unwrap();
                    let _ = copy_bidirectional(&mut stream, &mut onward).await;
                });
            }
        });
        fake
    }

    /// SOCKS5 with or without a login (RFC 1928, RFC 1929); IPv4 targets only.
    pub(crate) async fn socks(login: Option<(&'static str, &'static str)>) -> Self {
        let (listener, fake) = Self::listen().await;
        let heard = fake.heard.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(socks(stream, heard.clone(), login));
            }
        });
        fake
    }
}

async fn socks(
    mut s: TcpStream,
    heard: Arc<Mutex<Vec<String>>>,
    login: Option<(&str, &str)>,
) -> Option<()> {
    let mut head = [0; 2];
    s.read_exact(&mut head).await.ok()?;
    let mut methods = vec![0; head[1].into()];
    s.read_exact(&mut methods).await.ok()?;
    s.write_all(&[5, if login.is_some() { 2 } else { 0 }])
        .await
        .ok()?;
    if let Some((user, password)) = login {
        let text = |n: usize| vec![0; n];
        s.read_exact(&mut head).await.ok()?;
        let mut given = text(head[1].into());
        s.read_exact(&mut given).await.ok()?;
        let length = s.read_u8().await.ok()?;
        let mut secret = text(length.into());
        s.read_exact(&mut secret).await.ok()?;
        let right = given == user.as_bytes() && secret == password.as_bytes();
        s.write_all(&[1, u8::from(!right)]).await.ok()?;
        if !right {
            return None;
        }
    }
    let mut request = [0; 10];
    s.read_exact(&mut request).await.ok()?;
    assert_eq!(
        request[..4],
        [5, 1, 0, 1],
        "CONNECT to an IPv4 address, not to a name"
    );
    let target = SocketAddr::from((
        [request[4], request[5], request[6], request[7]],
        u16::from_be_bytes([request[8], request[9]]),
    ));
    heard.lock().unwrap().push(target.to_string());
    let mut onward = TcpStream::connect(target).await.ok()?;
    s.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.ok()?;
    copy_bidirectional(&mut s, &mut onward).await.ok()?;
    Some(())
}

fn through(proxy: &str) -> Sender {
    local_builder()
        .resolver(Arc::new(Here))
        .proxy(Proxy::parse(proxy).unwrap())
        .build()
        .unwrap()
}

#[tokio::test]
async fn http_connect_proxy_receives_the_checked_address() {
    let receiver = Receiver::fixed(OK).await;
    let proxy = Fake::http(None).await;
    let request = post(&format!("http://hooks.example:{}/", receiver.addr.port()))
        .build()
        .unwrap();
    for (login, sent) in [
        ("", None),
        (
            "user:p%40ss@",
            Some("Proxy-Authorization: Basic dXNlcjpwQHNz"),
        ),
    ] {
        let sender = through(&format!("http://{login}{}", proxy.addr));
        let attempt = sender.send(&request, now()).await;
        assert_eq!(
            (attempt.outcome, attempt.address),
            (Ok(200), Some(receiver.addr))
        );
        let head = proxy.heard().pop().unwrap();
        assert!(
            head.starts_with(&format!("CONNECT {} HTTP/1.1\r\n", receiver.addr)),
            "{head}"
        );
        assert_eq!(sent, head.lines().find(|line| line.starts_with("Proxy-")));
    }
}

#[tokio::test]
async fn socks5_proxy_receives_checked_address_with_optional_login() {
    let receiver = Receiver::fixed(OK).await;
    let request = post(&format!("http://hooks.example:{}/", receiver.addr.port()))
        .build()
        .unwrap();
    let (open, locked) = (
        Fake::socks(None).await,
        Fake::socks(Some(("user", "secret"))).await,
    );
    for (url, expected) in [
        (format!("socks5://{}", open.addr), Ok(200)),
        (format!("socks5://user:secret@{}", locked.addr), Ok(200)),
        (
            format!("socks5://user:wrong@{}", locked.addr),
            Err(ErrorClass::Proxy(ProxyFault::Authentication)),
        ),
    ] {
        assert_eq!(
            through(&url).send(&request, now()).await.outcome,
            expected,
            "{url}"
        );
    }
    assert_eq!(
        [open.heard(), locked.heard()].concat(),
        vec![receiver.addr.to_string(); 2]
    );
}

#[tokio::test]
async fn the_policy_holds_behind_a_proxy() {
    let proxy = Fake::http(None).await;
    let sender = Sender::builder(TargetPolicy::public())
        .resolver(Arc::new(Here))
        .proxy(Proxy::parse(&format!("http://{}", proxy.addr)).unwrap())
        .build()
        .unwrap();
    for url in [
        "http://10.0.0.1/",
        "http://inner.example/",
        "http://169.254.169.254/latest",
    ] {
        let attempt = sender.send(&post(url).build().unwrap(), now()).await;
        assert!(
            matches!(attempt.outcome, Err(ErrorClass::Refused(_))),
            "{:?}",
            attempt.outcome
        );
    }
    assert!(proxy.heard().is_empty(), "the proxy is never asked");
}

#[tokio::test]
async fn targets_that_bypass_the_proxy_are_reached_directly() {
    let receiver = Receiver::fixed(OK).await;
    let proxy = Fake::http(None).await;
    let url = format!("http://hooks.example:{}/", receiver.addr.port());
    let base = Proxy::parse(&format!("http://{}", proxy.addr)).unwrap();
    for proxy in [
        base.clone().bypass_host("*.example".parse().unwrap()),
        base.bypass_net("127.0.0.0/8".parse().unwrap()),
    ] {
        let sender = Sender::builder(local_policy())
            .resolver(Arc::new(Here))
            .proxy(proxy)
            .build()
            .unwrap();
        assert_eq!(
            sender
                .send(&post(&url).build().unwrap(), now())
                .await
                .outcome,
            Ok(200)
        );
    }
    assert!(proxy.heard().is_empty());
}

#[tokio::test]
async fn proxy_failure_is_distinct_from_target_failure() {
    let dead = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let request = post("http://8.8.8.8/")
        .timeout(Duration::from_millis(400))
        .build()
        .unwrap();
    let attempt = through(&format!("http://{dead}"))
        .send(&request, now())
        .await;
    assert_eq!(attempt.outcome, Err(ErrorClass::Proxy(ProxyFault::Connect)));
    for (answer, fault) in [
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            ProxyFault::Authentication,
        ),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", ProxyFault::Target),
        ("SSH-2.0-OpenSSH\r\n\r\n", ProxyFault::Protocol),
        ("HTTP/1.1 2000 OK\r\n\r\n", ProxyFault::Protocol),
        ("HTTP/1.1 200", ProxyFault::Connect),
    ] {
        let proxy = Fake::http(Some(answer)).await;
        let attempt = through(&format!("http://{}", proxy.addr))
            .send(&request, now())
            .await;
        assert_eq!(attempt.outcome, Err(ErrorClass::Proxy(fault)), "{answer:?}");
    }
    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let attempt = through(&format!("http://{}", mute.local_addr().unwrap()))
        .send(&request, now())
        .await;
    assert_eq!(attempt.outcome, Err(ErrorClass::Timeout(Phase::Proxy)));
}

#[test]
fn invalid_proxy_is_refused_without_showing_password() {
    for url in [
        "",
        "proxy:3128",
        "https://p/",
        "socks4://p/",
        "http://us%3Aer:canary@p/",
        "http://u:can%0Aary@p/",
        "socks5://:canary@p",
    ] {
        let fault = Proxy::parse(url).unwrap_err();
        assert!(!format!("{fault:?} {fault}").contains("canary"), "{url}");
    }
}
