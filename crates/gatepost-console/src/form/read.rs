//! Reads the body of a form, and refuses what no page of the console sends.

use apikey_core::MAX_IP_ENTRIES;
use bytes::Bytes;
use url::form_urlencoded;

use super::fields::Form;
use crate::texts::Texts;

/// The maximum number of fields of a form. The largest has two lists of addresses, each row with an
/// address and a checkbox.
const MAX_FIELDS: usize = 4 * MAX_IP_ENTRIES + 64;
/// The maximum length of a field's name or value, in bytes: more than any rule allows, so that a
/// value that is slightly too long is refused next to its field.
const MAX_TEXT: usize = 64 * 1024;
/// The maximum length of a message, in bytes: its rule allows 1 MiB, and a browser sends two bytes
/// for the end of a line.
const MAX_MESSAGE: usize = 2 * webhook_model::MAX_MESSAGE;
/// The maximum length of a text that is searched for leaked keys, in bytes: its rule and its line
/// ends are those of a message.
const MAX_LEAKED: usize = 2 * 1024 * 1024;
/// The number of bytes that encode one byte, such as `%22`, at most.
const ENCODED: usize = 3;
/// The length in bytes up to which a form is parsed on the request's own thread.
const AT_ONCE: usize = 64 * 1024;
/// The maximum length of a name that an error repeats.
const MAX_SHOWN: usize = 64;

/// A form that is larger than any page of the console sends.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct TooMuch {
    /// The field that is too large; for a row, its list.
    pub field: String,
    /// The limit that the form exceeds.
    pub excess: Excess,
}

/// A limit that a form exceeds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Excess {
    /// More fields than the largest form has.
    Fields,
    /// A field of more than this number of bytes.
    Bytes(usize),
    /// The reader panicked: a bug of the console.
    Unreadable,
}

impl Excess {
    /// Returns the broken rule as a sentence.
    pub(crate) fn rule(self, texts: &Texts) -> String {
        match self {
            Self::Fields => texts.of("forms-too-many-fields").into_owned(),
            Self::Bytes(most) => texts.with("forms-too-long", &[("count", most.into())]),
            Self::Unreadable => texts.of("forms-unreadable").into_owned(),
        }
    }
}

impl Form {
    /// Reads a body of any length; a long one on a thread on which no other request waits. Stops at
    /// the first limit that is exceeded.
    pub(crate) async fn read(body: Bytes) -> Result<Self, TooMuch> {
        if body.len() <= AT_ONCE {
            return Self::of(&body);
        }
        let reading = tokio::task::spawn_blocking(move || Self::of(&body));
        let broken = |_| too_much("form", Excess::Unreadable);
        reading.await.map_err(broken)?
    }

    fn of(body: &[u8]) -> Result<Self, TooMuch> {
        let mut fields = Vec::new();
        for piece in body.split(|byte| *byte == b'&') {
            if piece.is_empty() {
                continue;
            }
            let (name, value) = decoded(piece)?;
            if fields.len() == MAX_FIELDS {
                return Err(too_much(&name, Excess::Fields));
            }
            fields.push((name, value));
        }
        Ok(Self(fields))
    }
}

/// Decodes a field, unless it is much too long.
fn decoded(piece: &[u8]) -> Result<(String, String), TooMuch> {
    let equals = piece.iter().position(|byte| *byte == b'=');
    let name = piece.get(..equals.unwrap_or(piece.len()));
    let most = match name {
        Some(b"message") => MAX_MESSAGE,
        Some(b"leaked") => MAX_LEAKED,
        _ => MAX_TEXT,
    };
    let too_long = || {
        let name = String::from_utf8_lossy(name.unwrap_or_default());
        too_much(&name, Excess::Bytes(most))
    };
    if piece.len() > ENCODED * (most + MAX_SHOWN) {
        return Err(too_long());
    }
    let field = form_urlencoded::parse(piece).into_owned().next();
    let (name, value) = field.unwrap_or_default();
    if name.len() > most || value.len() > most {
        return Err(too_long());
    }
    Ok((name, value))
}

fn too_much(name: &str, excess: Excess) -> TooMuch {
    let list = name.split('.').next().unwrap_or(name);
    TooMuch {
        field: list.chars().take(MAX_SHOWN).collect(),
        excess,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn refused(body: &str) -> (String, Excess) {
        let TooMuch { field, excess } = Form::of(body.as_bytes()).unwrap_err();
        (field, excess)
    }

    #[tokio::test]
    async fn a_long_form_is_read_where_nobody_waits() {
        let mut context = Context::from_waker(Waker::noop());
        let short = Form::read(Bytes::from_static(b"a=%26&&b=1+2&c"));
        let std::task::Poll::Ready(Ok(form)) = pin!(short).poll(&mut context) else {
            panic!("a short one is read in one poll");
        };
        assert_eq!((form.text("a"), form.text("b")), ("&", "1 2"));
        assert!(form.ticked("c") && !form.ticked(""));

        let message = "x".repeat(1024 * 1024);
        let mut long = pin!(Form::read(format!("message={message}&a=1").into()));
        assert!(long.as_mut().poll(&mut context).is_pending());
        let form = long.await.unwrap();
        assert_eq!((form.lines("message"), form.text("a")), (message, "1"));
    }

    #[test]
    fn oversized_form_is_refused_naming_the_field() {
        let rows = (0..100_000).map(|row| format!("allow.{row}.net=&"));
        let of_rows = refused(&rows.collect::<String>());
        assert_eq!(of_rows, ("allow".into(), Excess::Fields));
        let long = "x".repeat(MAX_TEXT + 1);
        let excess = Excess::Bytes(MAX_TEXT);
        assert_eq!(refused(&format!("name={long}")), ("name".into(), excess));
        let much = "%22".repeat(MAX_TEXT + 100);
        assert_eq!(refused(&format!("name={much}")), ("name".into(), excess));
        assert_eq!(refused(&format!("{long}=1")).0.len(), MAX_SHOWN);
        let message = "x".repeat(MAX_MESSAGE + 1);
        assert_eq!(refused(&format!("message={message}")).0, "message");
        assert!(Form::of(format!("name={}", &long[1..]).as_bytes()).is_ok());
    }
}
