//! Previews of requests, without sending them.

use std::fmt;

use bytes::Bytes;
use chrono::{DateTime, Utc};

use super::core::Sender;
use crate::egress::TargetRefusal;
use crate::outcome::ErrorClass;
use crate::request::Request;
use crate::sign::SigningKeys;

/// The message of an attempt as HTTP/1.1 would send it.
///
/// It contains the secrets of the request in plaintext: show it to the owner of the request only.
/// `Debug` hides them.
#[derive(Clone)]
#[non_exhaustive]
pub struct Preview {
    /// The first line and the headers, each ended by CR LF, and the empty line.
    pub head: Vec<u8>,
    /// The body, byte for byte.
    pub body: Bytes,
    /// The signed bytes (`id.timestamp.body`), if the request is signed.
    pub signature_base: Option<Vec<u8>>,
    /// The target policy's verdict on the URL only. A host name that passes is still resolved, and
    /// its addresses are checked, when the request is sent.
    pub verdict: Result<(), TargetRefusal>,
}

impl Sender {
    /// Returns the exact bytes of an attempt at `now`, and the target policy's verdict on its URL.
    /// It neither resolves nor connects.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Build`] if the message cannot be built.
    pub fn preview(&self, request: &Request, now: DateTime<Utc>) -> Result<Preview, ErrorClass> {
        let head = self.parts.head(request, now)?;
        let signed = request
            .id
            .as_ref()
            .filter(|_| request.fixed.signing.is_some());
        Ok(Preview {
            head,
            body: request.body.clone(),
            signature_base: signed.map(|id| SigningKeys::base(id.text(), now, &request.body)),
            verdict: self.policy.check_url(&request.fixed.url),
        })
    }
}

impl fmt::Debug for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preview")
            .field("head_bytes", &self.head.len())
            .field("body_bytes", &self.body.len())
            .field("verdict", &self.verdict)
            .finish_non_exhaustive()
    }
}
