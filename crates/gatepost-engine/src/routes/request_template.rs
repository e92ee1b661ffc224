//! Makes a webhook into a request that lacks an id and a body.

use std::sync::Arc;

use delivery::{
    ClientIdentity, Request, RequestError, SigningKey, SigningKeyError, SigningKeys, Trust,
};
use webhook_model::{SigningSecret, Webhook};

/// Returns the common part of all requests of a webhook.
///
/// A webhook whose headers contradict each other, or whose secrets cannot be used, is refused when
/// it is created; if it was stored by other means, it sends nothing, rather than something else or
/// unsigned.
pub(crate) fn prototype(webhook: &Webhook) -> Result<Request, RequestError> {
    let mut builder = Request::builder(webhook.url.as_url().clone())
        .timeout(webhook.timeout.as_duration())
        .trust(if webhook.allow_insecure {
            Trust::AllowInsecure
        } else {
            Trust::Verify
        })
        .delivery_id("none-yet");
    let headers = webhook
        .request_headers()
        .map_err(|_| RequestError::ReservedHeader("headers".into()))?;
    for header in headers {
        builder = if header.sensitive {
            builder.sensitive_header(&header.name, header.value.expose())
        } else {
            builder.header(&header.name, header.value.expose())
        };
    }
    if !webhook.signing.is_empty() {
        let secrets = webhook.signing.iter().map(SigningSecret::expose);
        let keys = secrets.map(|text| {
            let imported = |error| SigningKey::imported(text).map_err(|_| error);
            text.parse().or_else(imported)
        });
        let keys = SigningKeys::new(keys.collect::<Result<Vec<_>, SigningKeyError>>()?);
        builder = builder.signing(keys.ok_or(SigningKeyError::Length)?);
    }
    if let Some(identity) = &webhook.client_identity {
        let key = identity.key().expose();
        let identity = ClientIdentity::from_pem(identity.certificate(), key)?;
        builder = builder.client_identity(Arc::new(identity));
    }
    builder.build()
}
