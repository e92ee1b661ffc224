//! A client certificate and its key, as they are typed.

use webhook_model::{ClientIdentity, Field, trim_pasted};

use crate::form::Form;
use crate::problems::{Problems, rule};

/// The two texts. Both are read, and never written into a page: a key may have been typed into the
/// wrong one.
#[derive(Default)]
pub(in crate::webhooks) struct ClientIdentityFields {
    certificate: String,
    key: String,
    /// The stored ones are removed.
    pub remove: bool,
}

impl ClientIdentityFields {
    pub(super) fn sent(form: &Form) -> Self {
        Self {
            certificate: form.lines("client_certificate"),
            key: form.lines("client_key"),
            remove: form.ticked("client_remove"),
        }
    }

    pub(super) fn is_key_entered(&self) -> bool {
        !trim_pasted(&self.key).is_empty()
    }

    /// Parses the fields; `Some(None)` for no certificate. What is left empty keeps its present
    /// value.
    pub(super) fn parse(
        &self,
        problems: &mut Problems,
        present: Option<&ClientIdentity>,
    ) -> Option<Option<ClientIdentity>> {
        let is_typed = |text: &str| !trim_pasted(text).is_empty();
        if self.remove {
            return Some(None);
        }
        if !is_typed(&self.certificate) && !self.is_key_entered() {
            return Some(present.cloned());
        }
        let stored = present.map(|one| (one.certificate(), one.key().expose()));
        let (mut certificate, mut key) = stored.unwrap_or_default();
        if is_typed(&self.certificate) {
            certificate = &self.certificate;
        }
        if self.is_key_entered() {
            key = &self.key;
        }
        match ClientIdentity::new(certificate, key) {
            Ok(identity) => Some(Some(identity)),
            Err(invalid) => {
                problems.add(field_of(invalid.field().as_str()), rule(invalid));
                None
            }
        }
    }
}

/// The form field for a field of the record, as it is called on the wire.
pub(super) fn field_of(field: &str) -> &'static str {
    if field == Field::ClientKey.as_str() {
        "client_key"
    } else {
        "client_certificate"
    }
}
