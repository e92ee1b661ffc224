//! What a start prints: passwords that were made, and lines that work when they are pasted.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use examples::passwords::Password;
use examples::platform::Platform;
use examples::sealing::Sealing;

use crate::options::Options;

/// What there is to say.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    pub options: &'a Options,
    /// Passwords that were made now, by user.
    pub made: &'a BTreeMap<&'static str, Password>,
    pub sealing: Option<&'a Sealing>,
    pub addr: SocketAddr,
    pub metrics: Option<SocketAddr>,
}

pub(crate) fn tell(told: &Told<'_>) {
    for (name, what) in Platform::people() {
        if let Some(password) = told.made.get(name) {
            println!("user {name}, password {}, {what}", password.expose());
        }
    }
    if !told.made.is_empty() && !told.options.memory() {
        let file = told.options.state("passwords");
        println!("These are not shown again: {} has hashes.", file.display());
    }
    if let Some(sealing) = told.sealing {
        let file = sealing.file.display();
        println!(
            "The secrets of webhooks are sealed under the key in {file}: keep a copy elsewhere."
        );
    }
    lines_to_paste(told);
    let scheme = scheme(told.options);
    if let Some(metrics) = told.metrics {
        println!("figures at http://{metrics}/metrics and http://{metrics}/status");
    }
    println!("listening on {scheme}://{}", told.addr);
}

fn scheme(options: &Options) -> &'static str {
    if options.tls { "https" } else { "http" }
}

/// curl takes the password from the environment: what was given is not printed.
fn lines_to_paste(told: &Told<'_>) {
    let (options, scheme) = (told.options, scheme(told.options));
    let reachable = reachable(told.addr);
    let base = format!("{scheme}://{reachable}/api/v4");
    let trust = if options.tls {
        let file = options.state("cert.pem");
        format!(" --cacert {}", quoted(&file.display().to_string()))
    } else {
        String::new()
    };
    println!("Try:");
    if let Some(password) = told.made.get("admin") {
        println!("  export GATEPOST_ADMIN_PASSWORD={}", password.expose());
    } else {
        println!("  # with the password of admin in GATEPOST_ADMIN_PASSWORD");
    }
    // Names are taken only once: those of another start must not be in the way.
    let mark = rand::random::<u16>();
    let login = r#""admin:$GATEPOST_ADMIN_PASSWORD""#;
    for (path, body) in [
        (
            "user_api_keys",
            format!(r#"{{"user":1,"name":"first-{mark:04x}"}}"#),
        ),
        (
            "webhook_urls",
            format!(r#"{{"name":"test-{mark:04x}","url":"https://example.com/hook"}}"#),
        ),
        ("vm_actions", r#"{"vm":1,"action":"poweron"}"#.to_owned()),
    ] {
        println!("  curl -sS{trust} -u {login} {base}/{path} -d '{body}'");
    }
    println!("  a browser at {scheme}://{reachable}/console/");
}

/// An address that means all of them is none that a client can call.
fn reachable(addr: SocketAddr) -> SocketAddr {
    let ip = match addr {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        own => own.ip(),
    };
    SocketAddr::new(ip, addr.port())
}

/// For a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
