//! What an attempt means for the delivery log and for what is known of its host.

use delivery::{Attempt, ConnectFault, ErrorClass, Phase, TokenFault};
use gatepost_storage::webhooks::{AttemptRecord, Phases};

use crate::admission::Feedback;
use crate::routes::Credentials;

/// Bytes of the response's head that the log keeps.
const HEAD: usize = 8 * 1024;

/// Headers of a response that are not kept: they would be secrets of the receiver, or ours
/// repeated.
const HIDDEN: [&str; 4] = ["set-cookie", "authorization", "cookie", "x-api-key"];

pub(super) fn feedback(attempt: &Attempt) -> Feedback {
    let Err(class) = &attempt.outcome else {
        return Feedback::Received;
    };
    match (class, attempt.status) {
        (_, Some(429 | 503)) => Feedback::Overloaded,
        (_, Some(_)) => Feedback::Responded,
        (ErrorClass::Connect(ConnectFault::Local), None) => Feedback::None,
        // The webhook cannot send for now; of the target's origin that says nothing.
        (ErrorClass::Token(fault), None) if is_theirs(fault) => Feedback::Unreachable,
        (
            ErrorClass::Connect(ConnectFault::Refused) | ErrorClass::Timeout(Phase::Connect),
            None,
        ) => Feedback::Refused,
        (
            ErrorClass::Connect(_)
            | ErrorClass::Dns(_)
            | ErrorClass::Timeout(Phase::Dns | Phase::Proxy),
            None,
        ) => Feedback::Unreachable,
        (ErrorClass::Timeout(_), None) => Feedback::TimedOut,
        _ => Feedback::None,
    }
}

/// Whether the token endpoint is to blame.
fn is_theirs(fault: &TokenFault) -> bool {
    let TokenFault::Failed(class) = fault else {
        return true;
    };
    **class != ErrorClass::Connect(ConnectFault::Local)
}

/// The owner's log is at its limit: how it went is kept, what was sent and came back is not.
pub(super) fn forget_exchange(record: &mut AttemptRecord) {
    record.request_head = Vec::new();
    record.response_head = Vec::new();
    record.response_body = Vec::new();
    record.kept = false;
}

pub(super) fn record(attempt: &Attempt, credentials: &Credentials) -> AttemptRecord {
    let mut head = Vec::new();
    for (name, value) in attempt.head.iter().flat_map(delivery::CapturedHead::iter) {
        if head.len() + name.len() + value.len() > HEAD {
            break;
        }
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        if HIDDEN.contains(&name) {
            head.extend_from_slice(b"(hidden)");
        } else {
            head.extend(credentials.hide(value, false));
        }
        head.extend_from_slice(b"\r\n");
    }
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
        request_head: credentials.hide(&attempt.request_head, false),
        response_head: head,
        truncated: attempt.body.truncated,
        response_body: credentials.hide(&attempt.body.bytes, attempt.body.truncated),
        kept: true,
    }
}
