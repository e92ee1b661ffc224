//! Messages, heads of requests and responses, sealed and opened.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::error::{ErrorKind, StoreError};
use crate::seal::{SealError, SealingKeys};
use crate::webhooks::{AttemptRecord, DeliveryId, MessageId};

/// Begins what is sealed. A control character first: no message in use begins so.
const SEALED: &str = "\u{1}gatepost-sealed:";

#[derive(Debug)]
pub(super) struct Content {
    keys: SealingKeys,
}

impl Content {
    pub(super) fn new(keys: SealingKeys) -> Self {
        Self { keys }
    }

    pub(super) fn seal_message(
        &self,
        body: &Arc<str>,
        id: &MessageId,
    ) -> Result<Arc<str>, StoreError> {
        if body.is_empty() || self.keys.is_none() {
            return Ok(Arc::clone(body));
        }
        let sealed = self.keys.seal(body.as_bytes(), &of_message(id));
        let sealed = sealed.map_err(too_long)?;
        Ok(format!("{SEALED}{}", STANDARD_NO_PAD.encode(sealed)).into())
    }

    /// A message that was stored before messages were sealed is returned as it is.
    pub(super) fn open_message(
        &self,
        body: &Arc<str>,
        id: &MessageId,
    ) -> Result<Arc<str>, SealError> {
        let Some(encoded) = body.strip_prefix(SEALED) else {
            return Ok(Arc::clone(body));
        };
        let sealed = STANDARD_NO_PAD.decode(encoded);
        let sealed = sealed.map_err(|_| SealError::Damaged)?;
        let opened = self.keys.open(&sealed, &of_message(id))?;
        let text = std::str::from_utf8(&opened).map_err(|_| SealError::Damaged)?;
        Ok(text.into())
    }

    pub(super) fn seal_attempt(
        &self,
        attempt: &mut AttemptRecord,
        of: DeliveryId,
    ) -> Result<(), StoreError> {
        for (part, name) in parts(attempt) {
            if !part.is_empty() && !self.keys.is_none() {
                let sealed = self.keys.seal(part, &of_part(of, name));
                *part = [SEALED.as_bytes(), &sealed.map_err(too_long)?].concat();
            }
        }
        Ok(())
    }

    pub(super) fn open_attempt(
        &self,
        attempt: &mut AttemptRecord,
        of: DeliveryId,
    ) -> Result<(), SealError> {
        for (part, name) in parts(attempt) {
            if let Some(sealed) = part.strip_prefix(SEALED.as_bytes()) {
                *part = self.keys.open(sealed, &of_part(of, name))?.to_vec();
            }
        }
        Ok(())
    }
}

fn parts(attempt: &mut AttemptRecord) -> [(&mut Vec<u8>, &'static str); 3] {
    [
        (&mut attempt.request_head, "request_head"),
        (&mut attempt.response_head, "response_head"),
        (&mut attempt.response_body, "response_body"),
    ]
}

fn of_message(id: &MessageId) -> String {
    format!("delivery.body/{id}")
}

fn of_part(of: DeliveryId, part: &str) -> String {
    format!("attempt.{part}/{of}")
}

fn too_long(_: SealError) -> StoreError {
    StoreError::new(ErrorKind::Invalid, "a message is too long to seal")
}
