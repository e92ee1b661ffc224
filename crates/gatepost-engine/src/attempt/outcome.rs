//! The consequences of an attempt for the delivery log and the state of its target.

use delivery::{Attempt, ConnectFault, ErrorClass, Phase, TokenFault};
use gatepost_storage::webhooks::{AttemptRecord, Phases};

use crate::routes::Credentials;
use crate::scheduler::Outcome;

/// Bytes of the head of a request, and of that of a response, that the log keeps.
const HEAD: usize = 8 * 1024;
/// Bytes of a response's body that the log keeps.
const BODY: usize = 16 * 1024;

/// Headers of a response that are not kept: they would be secrets of the receiver, or repetitions
/// of ours.
const HIDDEN: [&str; 4] = ["set-cookie", "authorization", "cookie", "x-api-key"];

/// Returns the outcome for the target.
pub(super) fn of(attempt: &Attempt) -> Outcome {
    let Err(class) = &attempt.outcome else {
        return Outcome::Responded;
    };
    match (class, attempt.status) {
        (_, Some(429 | 503)) => Outcome::Overloaded(attempt.retry_after),
        (_, Some(_)) => Outcome::Responded,
        (ErrorClass::Connect(ConnectFault::Local), None) => Outcome::Unsent,
        // The webhook cannot send for now.
        (ErrorClass::Token(fault), None) if is_theirs(fault) => Outcome::Unreachable,
        (
            ErrorClass::Connect(_)
            | ErrorClass::Dns(_)
            | ErrorClass::Timeout(Phase::Dns | Phase::Connect | Phase::Proxy),
            None,
        ) => Outcome::Unreachable,
        (ErrorClass::Timeout(_), None) => Outcome::TimedOut,
        _ => Outcome::Unsent,
    }
}

/// Whether the token endpoint is at fault.
fn is_theirs(fault: &TokenFault) -> bool {
    let TokenFault::Failed(class) = fault else {
        return true;
    };
    **class != ErrorClass::Connect(ConnectFault::Local)
}

/// Removes the request and the response from the record, keeping the result: the owner's log is at
/// its limit.
pub(super) fn forget_exchange(record: &mut AttemptRecord) {
    record.request_head = Vec::new();
    record.response_head = Vec::new();
    record.response_body = Vec::new();
    record.kept = false;
}

/// Returns the record of the log. Hidden text may be shorter than its replacement, so each part is
/// truncated after hiding.
pub(super) fn record(attempt: &Attempt, credentials: &Credentials) -> AttemptRecord {
    let headers = attempt.head.iter().flat_map(delivery::CapturedHead::iter);
    let mut body = credentials.hide(&attempt.body.bytes, attempt.body.truncated);
    let truncated = attempt.body.truncated || body.len() > BODY;
    body.truncate(BODY);
    let timings = attempt.timings;
    AttemptRecord {
        number: 0,
        started: attempt.started,
        duration: attempt.duration,
        phases: Phases {
            dns: timings.dns,
            connect: timings.connect,
            tls: timings.tls,
            first_byte: timings.head,
        },
        class: attempt.error().map_or("ok", ErrorClass::code).to_owned(),
        info: attempt.status_info(),
        status: attempt.status,
        remote: attempt.address,
        protocol: attempt.protocol.map(|protocol| protocol.to_string()),
        request_head: shown_head(&attempt.request_head, credentials),
        response_head: shown_head(&response_head(headers), credentials),
        truncated,
        response_body: body,
        kept: true,
    }
}

/// Returns as many lines as fit.
fn response_head<'a>(headers: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut head = Vec::new();
    for (name, value) in headers {
        let value = match HIDDEN.contains(&name) {
            true => b"(hidden)",
            false => value,
        };
        let line = [name.as_bytes(), b": ", value, b"\r\n"].concat();
        if head.len() + line.len() > HEAD {
            break;
        }
        head.extend_from_slice(&line);
    }
    head
}

/// Returns a head in which credentials are hidden, with as many whole lines as fit.
fn shown_head(head: &[u8], credentials: &Credentials) -> Vec<u8> {
    let mut shown = credentials.hide(head, false);
    if shown.len() > HEAD {
        shown.truncate(HEAD);
        let end = shown.iter().rposition(|byte| *byte == b'\n');
        shown.truncate(end.map_or(0, |end| end + 1));
    }
    shown
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use delivery::CapturedBody;
    use webhook_model::{Headers, OwnerId, Webhook};

    use super::*;

    /// Each credential is shorter than its replacement.
    #[test]
    fn record_of_many_credentials_keeps_its_bounds() {
        let url = "https://example.com/".parse().unwrap();
        let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
        webhook.headers = Headers::parse_lines("X-Token: abcd").unwrap();
        let credentials = Credentials::of(&webhook);
        let mut attempt = Attempt::unsent(ErrorClass::Status(200), DateTime::UNIX_EPOCH);
        attempt.request_head = b"X-A: abcd\r\n".repeat(744);
        attempt.body = CapturedBody::default();
        attempt.body.bytes = b"abcd ".repeat(3_276).into();
        let record = record(&attempt, &credentials);
        assert!(record.request_head.len() <= HEAD);
        assert!(record.request_head.ends_with(b"X-A: (hidden)\r\n"));
        assert!(record.response_body.len() <= 16 * 1024);
        assert!(record.truncated, "not all of it is there");
    }

    /// Many short fields cost no more than one long one: they are searched together.
    #[test]
    fn response_head_of_many_credentials_keeps_its_bound() {
        let url = "https://example.com/".parse().unwrap();
        let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
        webhook.headers = Headers::parse_lines("X-Token: abcd").unwrap();
        let credentials = Credentials::of(&webhook);
        let field: (&str, &[u8]) = ("a", b"abcd");
        let cookie: (&str, &[u8]) = ("set-cookie", b"theirs");
        let fields = std::iter::once(cookie).chain(std::iter::repeat_n(field, 3_000));
        let head = shown_head(&response_head(fields), &credentials);
        assert!(
            head.len() <= HEAD && head.len() > HEAD - 20,
            "{}",
            head.len()
        );
        assert!(head.starts_with(b"set-cookie: (hidden)\r\na: (hidden)\r\n"));
        assert!(head.ends_with(b"a: (hidden)\r\n"));
    }
}
