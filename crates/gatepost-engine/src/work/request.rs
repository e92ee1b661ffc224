//! A webhook and a message become a request.

use std::sync::Arc;

use bytes::Bytes;
use delivery::{ErrorClass, Request, RequestError, SigningKeys, Trust};
use gatepost_storage::webhooks::MessageId;
use webhook_model::{SigningSecret, Webhook};

use crate::routes::Route;

/// Bytes that are shared with the store's copy.
struct Shared(Arc<str>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

pub(crate) fn request(
    route: &Route,
    id: &MessageId,
    body: &Arc<str>,
) -> Result<Request, ErrorClass> {
    let body = Bytes::from_owner(Shared(body.clone()));
    let request = route.request.as_ref().map_err(RequestError::clone)?;
    Ok(request.for_delivery(id.as_str(), body)?)
}

/// What every request of a webhook has in common.
///
/// A webhook whose headers contradict each other, or whose secrets cannot be used, was refused when
/// it was made; stored by other means, it sends nothing: rather than another message, or an
/// unsigned one.
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
        builder = builder.signing(SigningKeys::parse(secrets)?);
    }
    builder.build()
}
