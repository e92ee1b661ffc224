//! What a first run prints: a login, and lines that work when they are pasted.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::options::Options;

pub(crate) fn tell(options: &Options, addr: SocketAddr) {
    let scheme = if options.tls { "https" } else { "http" };
    // An address that means all of them is none that a client can call.
    let mut reachable = addr;
    match addr {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => {
            reachable.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            reachable.set_ip(Ipv6Addr::LOCALHOST.into());
        }
        _ => {}
    }
    let base = format!("{scheme}://{reachable}/api/v4");
    let trust = if options.tls {
        let file = options.certificate();
        format!(" --cacert {}", quoted(&file.display().to_string()))
    } else {
        String::new()
    };
    let login = quoted(&format!("admin:{}", options.password));
    // Names are taken only once: those of another start must not be in the way.
    let mark = rand::random::<u16>();
    println!("user admin, password {}", options.password);
    println!("Try:");
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
    println!("listening on {scheme}://{addr}");
}

/// For a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
