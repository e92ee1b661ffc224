//! Signatures of large messages, made on another thread.

use chrono::{DateTime, Utc};

use super::core::Sender;
use crate::request::Request;

/// Signatures over at most this number of bytes are made on the current thread: it takes less than
/// a millisecond.
const AT_ONCE: usize = 64 * 1024;

impl Sender {
    /// Returns the request with its signature as of `now`, if making it takes long: five keys sign
    /// a message of some MiB in some hundredths of a second, which must not delay other tasks. The
    /// signature is made once, however many connections are tried. `None` means that it is made
    /// with the message.
    pub(super) async fn signed(&self, request: &Request, now: DateTime<Utc>) -> Option<Request> {
        if request.body.len() <= AT_ONCE {
            return None;
        }
        let (keys, id) = (request.fixed.signing.clone()?, request.id.clone()?);
        let body = request.body.clone();
        let sign = move || keys.signature(id.text(), now, &body);
        let signature = tokio::task::spawn_blocking(sign).await.ok()?;
        Some(Request {
            signature: Some(signature.into()),
            ..request.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::SigningKeys;
    use crate::egress::TargetPolicy;

    #[tokio::test]
    async fn large_message_is_signed_in_blocking_pool() {
        let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
        let keys = SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap();
        let now = DateTime::from_timestamp(1_614_265_330, 0).unwrap();
        let of = |bytes: usize| {
            let request = Request::builder("https://example.com/".parse().unwrap());
            let request = request.delivery_id("m");
            let request = request.signing(keys.clone()).body(vec![b'x'; bytes]);
            request.build().unwrap()
        };
        let mut context = Context::from_waker(Waker::noop());
        let small = of(AT_ONCE);
        let signed = pin!(sender.signed(&small, now)).poll(&mut context);
        assert!(matches!(signed, Poll::Ready(None)));

        let large = of(AT_ONCE + 1);
        let mut signing = pin!(sender.signed(&large, now));
        assert!(
            signing.as_mut().poll(&mut context).is_pending(),
            "it gives way"
        );
        let signed = signing.await.unwrap();
        let expected = keys.signature("m", now, &large.body);
        assert_eq!(signed.signature.as_deref(), Some(&*expected));
        let head = |request| sender.parts.head(request, now).unwrap();
        assert_eq!(head(&signed), head(&large));
    }
}
