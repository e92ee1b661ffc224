//! The columns of a webhook's client certificate.

use gatepost_manage::ClientCertificate;
use serde_json::Value;
use webhook_model::{ClientIdentity, Field, Invalid, Webhook, trim_pasted};

use crate::resources::row::epoch;
use crate::schema::Input;

/// Returns the columns of a response: all except the key.
pub(super) fn columns(
    identity: Option<&ClientIdentity>,
) -> impl Iterator<Item = (&'static str, Value)> {
    let chain = identity.map_or("", ClientIdentity::certificate);
    let certificate = ClientCertificate::from_pem(chain).ok();
    let subject = certificate.as_ref().map_or("", ClientCertificate::subject);
    let expires = certificate.as_ref().map(ClientCertificate::not_after);
    [
        (Field::ClientCertificate.as_str(), chain.into()),
        ("client_certificate_subject", subject.into()),
        ("client_certificate_expires", epoch(expires)),
    ]
    .into_iter()
}

/// Applies the columns. One that was not sent is unchanged, so a certificate can be renewed for the
/// stored key. An empty certificate removes both.
pub(super) fn apply(webhook: &mut Webhook, input: &Input) -> Result<(), Invalid> {
    let sent = |field: Field| input.text(field.as_str());
    let (certificate, key) = (sent(Field::ClientCertificate), sent(Field::ClientKey));
    let is_empty = |text: Option<&str>| text.is_none_or(|text| trim_pasted(text).is_empty());
    if is_empty(certificate) && is_empty(key) {
        if certificate.is_some() {
            webhook.client_identity = None;
        }
        return Ok(());
    }
    let present = webhook.client_identity.as_ref();
    let certificate = certificate.or(present.map(ClientIdentity::certificate));
    let key = key.or(present.map(|identity| identity.key().expose()));
    let identity = ClientIdentity::new(certificate.unwrap_or_default(), key.unwrap_or_default())?;
    webhook.client_identity = Some(identity);
    Ok(())
}
