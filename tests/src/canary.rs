//! Planted secrets, and a search that finds them in every form in which they may leak.

use std::io::Write;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// A planted secret: its name, and its text.
#[derive(Clone, Debug)]
pub struct Canary {
    /// The name of the secret, for the report.
    pub what: &'static str,
    /// The secret.
    pub secret: String,
}

impl Canary {
    /// A secret that is planted.
    pub fn new(what: &'static str, secret: impl Into<String>) -> Self {
        Self {
            what,
            secret: secret.into(),
        }
    }

    /// Returns the forms in which it would be a leak, with their names.
    pub fn forms(&self) -> Vec<(&'static str, Vec<u8>)> {
        let text = self.secret.as_str();
        let bytes = text.as_bytes();
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let json = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
        let debug = format!("{text:?}");
        let mut forms: Vec<(&'static str, Vec<u8>)> = vec![
            ("raw", bytes.to_vec()),
            ("percent", percent(bytes).into_bytes()),
            (
                "percent twice",
                percent(percent(bytes).as_bytes()).into_bytes(),
            ),
            ("JSON escapes", json.collect::<String>().into_bytes()),
            ("HTML", html(text).into_bytes()),
            ("hex", hex.clone().into_bytes()),
            ("HEX", hex.to_uppercase().into_bytes()),
            ("UTF-16", utf16),
            (
                "reversed",
                text.chars().rev().collect::<String>().into_bytes(),
            ),
            (
                "first 8",
                text.chars().take(8).collect::<String>().into_bytes(),
            ),
            ("Debug", debug.trim_matches('"').as_bytes().to_vec()),
            ("bytes in decimal", list.join(", ").into_bytes()),
        ];
        // Base64 depends on the position at which the secret begins; its outer letters depend on
        // the bytes around it.
        for shift in 0..3 {
            let shifted = [vec![0; shift], bytes.to_vec()].concat();
            for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
                let coded = engine.encode(&shifted).into_bytes();
                let from = if shift == 0 { 0 } else { 4 };
                let to = coded.len() - coded.len() % 4;
                forms.push(("base64", coded[from..to].to_vec()));
            }
        }
        forms
    }
}

/// Returns which of these secrets are in these bytes, and in which form.
pub fn leaks(canaries: &[Canary], haystack: &[u8]) -> Vec<String> {
    // One character a byte: the standard library's search is fast, and not every form is UTF-8.
    let latin = |bytes: &[u8]| bytes.iter().map(|b| char::from(*b)).collect::<String>();
    let haystack = latin(haystack);
    let mut found = Vec::new();
    for canary in canaries {
        for (form, needle) in canary.forms() {
            if needle.len() >= 8 && haystack.contains(&latin(&needle)) {
                found.push(format!("{} ({form})", canary.what));
            }
        }
    }
    found
}

/// All log output, kept in memory.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures all spans and events of this process at TRACE, the `log` records of libraries
    /// included.
    ///
    /// # Panics
    /// If somebody else does already.
    pub fn capture() -> Self {
        let log = Self::default();
        let writer = log.clone();
        tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
            .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .try_init()
            .unwrap();
        log
    }

    /// Returns the bytes logged so far.
    ///
    /// # Panics
    /// After a panic within a write.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn percent(bytes: &[u8]) -> String {
    let one = |b: &u8| match b {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(*b).to_string()
        }
        other => format!("%{other:02X}"),
    };
    bytes.iter().map(one).collect()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
