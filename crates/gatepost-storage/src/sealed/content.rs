//! Sealing and opening of messages, and of the heads of requests and responses.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::{Value, json};
use webhook_model::{Data, Occurrence};

use crate::error::{ErrorKind, StoreError};
use crate::seal::{SEALED, SealError, SealingKeys};
use crate::webhooks::{AttemptRecord, Cause, DataExcerpt, DeliveryId, MessageId, Unreadable};

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
        Ok(self.seal_text(body, &of_message(id))?.into())
    }

    /// Opens a message. One that was stored before sealing was turned on is returned unchanged.
    pub(super) fn open_message(
        &self,
        body: &Arc<str>,
        id: &MessageId,
    ) -> Result<Arc<str>, SealError> {
        match body.strip_prefix(SEALED) {
            Some(sealed) => Ok(self.open_text(sealed, &of_message(id))?.into()),
            None => Ok(Arc::clone(body)),
        }
    }

    /// Seals the excerpt that a delivery keeps of its occurrence's data.
    pub(super) fn seal_excerpt(
        &self,
        cause: &mut Option<Cause>,
        id: &MessageId,
    ) -> Result<(), StoreError> {
        if let (Some(data), false) = (excerpt(cause), self.keys.is_none()) {
            let sealed = self.seal_text(data.as_str(), &of_excerpt(id))?;
            *data = sealed.parse().map_err(too_long)?;
        }
        Ok(())
    }

    /// Opens the excerpt of a cause. One that cannot be opened is not shown.
    pub(super) fn open_excerpt(&self, cause: &mut Option<Cause>, id: &MessageId) {
        let Some(cause) = cause else { return };
        let sealed = |data: &DataExcerpt| data.as_str().strip_prefix(SEALED).map(str::to_owned);
        if let Some(sealed) = cause.data.as_ref().and_then(sealed) {
            let opened = self.open_text(&sealed, &of_excerpt(id)).ok();
            cause.data = opened.and_then(|text| text.parse().ok());
        }
    }

    fn seal_text(&self, text: &str, place: &str) -> Result<String, StoreError> {
        let sealed = self.keys.seal(text.as_bytes(), place).map_err(too_long)?;
        Ok(format!("{SEALED}{}", STANDARD_NO_PAD.encode(sealed)))
    }

    fn open_text(&self, sealed: &str, place: &str) -> Result<String, SealError> {
        let sealed = STANDARD_NO_PAD.decode(sealed);
        let opened = self
            .keys
            .open(&sealed.map_err(|_| SealError::Damaged)?, place)?;
        String::from_utf8(opened.to_vec()).map_err(|_| SealError::Damaged)
    }

    /// Seals the data of an occurrence in the outbox. The sealed data are an object with one
    /// member.
    pub(super) fn seal_data(&self, occurrence: &mut Occurrence) -> Result<(), StoreError> {
        let place = of_data(occurrence);
        let (Some(data), false) = (&mut occurrence.data, self.keys.is_none()) else {
            return Ok(());
        };
        let sealed = self.keys.seal(data.as_str().as_bytes(), &place);
        let sealed = STANDARD_NO_PAD.encode(sealed.map_err(too_long)?);
        *data = Data::stored(&json!({ SEALED: sealed }).to_string())
            .map_err(|_| StoreError::new(ErrorKind::Invalid, "data are too long to seal"))?;
        Ok(())
    }

    /// Opens the data of an occurrence. Data that were stored before sealing was turned on, or that
    /// the platform wrote, are returned unchanged.
    pub(super) fn open_data(&self, mut occurrence: Occurrence) -> Result<Occurrence, Unreadable> {
        let place = of_data(&occurrence);
        let Some(data) = &mut occurrence.data else {
            return Ok(occurrence);
        };
        let Some(sealed) = data.as_map().get(SEALED).and_then(Value::as_str) else {
            return Ok(occurrence);
        };
        let unreadable = || Unreadable("the data cannot be opened".to_owned());
        let sealed = STANDARD_NO_PAD.decode(sealed).map_err(|_| unreadable())?;
        let opened = self.keys.open(&sealed, &place).map_err(|_| unreadable())?;
        let text = std::str::from_utf8(&opened).map_err(|_| unreadable())?;
        *data = text.parse().map_err(|_| unreadable())?;
        Ok(occurrence)
    }

    pub(super) fn seal_attempt(
        &self,
        attempt: &mut AttemptRecord,
        of: DeliveryId,
    ) -> Result<(), StoreError> {
        for (part, name) in attempt.parts_mut() {
            if !part.is_empty() && !self.keys.is_none() {
                let sealed = self.keys.seal(part, &of_part(of, name));
                *part = [SEALED.as_bytes(), &sealed.map_err(too_long)?].concat();
            }
        }
        Ok(())
    }

    /// Opens the parts of an attempt. A part that cannot be opened is not shown.
    pub(super) fn open_attempt(&self, attempt: &mut AttemptRecord, of: DeliveryId) {
        attempt.open_parts(&self.keys, SEALED.as_bytes(), |part| of_part(of, part));
    }
}

fn excerpt(cause: &mut Option<Cause>) -> Option<&mut DataExcerpt> {
    cause.as_mut()?.data.as_mut()
}

fn of_message(id: &MessageId) -> String {
    format!("delivery.body/{id}")
}

fn of_excerpt(id: &MessageId) -> String {
    format!("delivery.data/{id}")
}

fn of_part(of: DeliveryId, part: &str) -> String {
    format!("attempt.{part}/{of}")
}

fn of_data(occurrence: &Occurrence) -> String {
    let object = occurrence.object.as_ref();
    let object = object.map_or("", |object| object.id.as_str());
    let (event_type, event) = (&occurrence.event_type, &occurrence.event);
    format!("occurrence.data/{event_type}/{event}/{object}")
}

fn too_long<E>(_: E) -> StoreError {
    StoreError::new(ErrorKind::Invalid, "a message is too long to seal")
}
