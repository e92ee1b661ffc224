//! The output of a start: passwords that were made, and commands that work when they are pasted.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use examples::passwords::Password;
use examples::platform::Platform;
use examples::sealing::Sealing;

use crate::options::Options;

/// Cuts the key out of the response that shows it.
const CUT: &str = r#"sed 's/.*"key":"\([^"]*\)".*/\1/'"#;

/// The content of the output.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    pub options: &'a Options,
    /// Passwords that were made now, by user.
    pub made: &'a BTreeMap<&'static str, Password>,
    pub sealing: Option<&'a Sealing>,
    pub addr: SocketAddr,
    /// The address of the demonstration's receiver.
    pub receiver: Option<SocketAddr>,
    pub metrics: Option<SocketAddr>,
}

/// Returns the whole output. The last line says where the platform listens.
pub(crate) fn lines(told: &Told<'_>) -> String {
    let mut lines = passwords(told);
    if let Some(sealing) = told.sealing {
        let file = sealing.file.display();
        lines.push(format!(
            "The secrets of webhooks are sealed under the key in {file}: keep a copy elsewhere."
        ));
    }
    let site = site(told);
    if let Some(receiver) = told.receiver {
        lines.push(format!(
            "A webhook, a task and an event of admin lead to a receiver at http://{receiver}/, which shows what arrives."
        ));
    }
    lines.push(match told.made.contains_key("admin") {
        true => "Paste this into another terminal:".into(),
        false => "With the password of admin in GATEPOST_ADMIN_PASSWORD, paste this into another terminal:".into(),
    });
    let pasted = to_paste(told, &site);
    lines.extend(pasted.into_iter().map(|line| format!("  {line}")));
    lines.push(format!("Or log in as admin with a browser: {site}/"));
    if let Some(metrics) = told.metrics {
        lines.push(format!(
            "metrics at http://{metrics}/metrics and http://{metrics}/status"
        ));
    }
    let scheme = scheme(told.options);
    lines.push(format!("listening on {scheme}://{}", told.addr));
    lines.join("\n") + "\n"
}

fn passwords(told: &Told<'_>) -> Vec<String> {
    let made = |(name, what): (&'static str, String)| {
        let password = told.made.get(name)?.expose();
        Some(format!("user {name}, password {password}, {what}"))
    };
    let mut lines: Vec<String> = Platform::people().filter_map(made).collect();
    if !lines.is_empty() && !told.options.memory() {
        let file = told.options.state("passwords");
        lines.push(format!(
            "These are not shown again: {} has hashes.",
            file.display()
        ));
    }
    lines
}

/// Returns the commands of the first minute. curl takes the password from the environment: a
/// password that was given is not printed.
fn to_paste(told: &Told<'_>, site: &str) -> Vec<String> {
    let curl = match told.options.tls {
        true => format!(
            "curl -sS --cacert {}",
            quoted(&told.options.state("cert.pem"))
        ),
        false => "curl -sS".to_owned(),
    };
    let api = format!("{site}/api/v4");
    let with_password = format!(r#"{curl} -u "admin:$GATEPOST_ADMIN_PASSWORD""#);
    let with_key = format!(r#"{curl} -w '\n' -H "Authorization: Bearer $KEY""#);
    // Names are unique: those of an earlier paste must not be in the way.
    let mark = "'$(date +%s%N)-$$'";
    let mut lines = Vec::new();
    if let Some(password) = told.made.get("admin") {
        lines.push(format!(
            "export GATEPOST_ADMIN_PASSWORD={}",
            password.expose()
        ));
    }
    lines.extend([
        "echo 'An API key, shown this once:'".to_owned(),
        format!(
            r#"KEY=$({with_password} {api}/user_api_keys -d '{{"user":1,"name":"first-{mark}"}}' | {CUT}); echo "$KEY""#
        ),
        "echo 'The API, called with the key:'".to_owned(),
        format!("{with_key} {api}/system"),
    ]);
    if told.receiver.is_none() {
        lines.extend([
            "echo 'A webhook:'".to_owned(),
            format!(
                r#"{with_key} {api}/webhook_urls -d '{{"name":"test-{mark}","url":"https://example.com/hook"}}'"#
            ),
        ]);
    }
    lines.extend([
        "echo 'The machine web-1, switched on:'".to_owned(),
        format!(r#"{with_key} {api}/vm_actions -d '{{"vm":1,"action":"poweron"}}'"#),
    ]);
    if let Some(receiver) = told.receiver {
        lines.extend([
            "echo 'What arrived at the receiver because of that:'".to_owned(),
            format!("curl -sS http://{receiver}/last"),
        ]);
    }
    lines
}

fn scheme(options: &Options) -> &'static str {
    if options.tls { "https" } else { "http" }
}

/// Returns the platform's URL for a client on this machine; the address that means all addresses is
/// not one to call.
fn site(told: &Told<'_>) -> String {
    let ip = match told.addr {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        own => own.ip(),
    };
    let addr = SocketAddr::new(ip, told.addr.port());
    format!("{}://{addr}", scheme(told.options))
}

/// Returns the file's absolute path, quoted for a POSIX shell.
fn quoted(file: &Path) -> String {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    format!("'{}'", file.display().to_string().replace('\'', r"'\''"))
}
