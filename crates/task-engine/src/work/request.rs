//! A webhook and a message become a request.

use bytes::Bytes;
use delivery::{ErrorClass, Request, Trust};
use std::sync::Arc;
use storage::webhooks::MessageId;

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
    let webhook = &route.webhook;
    let mut builder = Request::builder(webhook.url.as_url().clone())
        .body(Bytes::from_owner(Shared(body.clone())))
        .timeout(webhook.timeout.as_duration())
        .trust(if webhook.allow_insecure {
            Trust::AllowInsecure
        } else {
            Trust::Verify
        })
        .delivery_id(id.as_str());
    // A webhook whose headers contradict each other was refused when it was made; stored by other means, it sends nothing.
    let headers = webhook
        .request_headers()
        .map_err(|_| delivery::BuildError::ReservedHeader("headers".into()))
        .map_err(ErrorClass::from)?;
    for header in headers {
        builder = if header.sensitive {
            builder.sensitive_header(&header.name, header.value.expose())
        } else {
            builder.header(&header.name, header.value.expose())
        };
    }
    if let Some(keys) = &route.signing {
        builder = builder.signing(keys.clone());
    }
    Ok(builder.build()?)
}
