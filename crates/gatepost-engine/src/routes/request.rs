//! Makes a route and a message into a request.

use std::sync::Arc;

use bytes::Bytes;
use delivery::{ErrorClass, Request, RequestError};
use gatepost_storage::webhooks::MessageId;

use super::route::Route;

/// Bytes that are shared with the store's copy.
struct SharedBody(Arc<str>);

impl AsRef<[u8]> for SharedBody {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Route {
    /// Returns the request of one delivery. An error is permanent: no retry fixes it.
    pub(crate) fn request(&self, id: &MessageId, body: &Arc<str>) -> Result<Request, ErrorClass> {
        let body = Bytes::from_owner(SharedBody(body.clone()));
        let request = self.request.as_ref().map_err(RequestError::clone)?;
        Ok(request.for_delivery(id.as_str(), body)?)
    }
}

#[cfg(test)]
mod tests {
    use webhook_model::{OwnerId, SigningSecret, SigningSecrets, Webhook};

    use super::*;

    /// The two halves of this key do not match: its form is right, its content is not.
    const HALVES: &str = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6KvA==";

    #[test]
    fn request_has_delivery_id_and_unusable_secret_fails() {
        let url = "https://Example.com/in".parse().unwrap();
        let webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
        let (id, body) = ("msg_1".parse().unwrap(), Arc::from("hello"));
        let route = Route::unstored(webhook.clone());
        let request = route.request(&id, &body).unwrap();
        assert_eq!(request.delivery_id(), Some("msg_1"));

        // 75 bytes, as Svix allows.
        let long = format!("whsec_{}", "A".repeat(100));
        let signing = SigningSecrets::new(vec![SigningSecret::imported(&long).unwrap()]).unwrap();
        let imported = Route::unstored(Webhook {
            signing,
            ..webhook.clone()
        });
        assert!(imported.request(&id, &body).is_ok());

        let secret = SigningSecret::parse(HALVES).unwrap();
        let signing = SigningSecrets::new(vec![secret]).unwrap();
        let unusable = Route::unstored(Webhook { signing, ..webhook });
        let refused = unusable.request(&id, &body).unwrap_err();
        assert_eq!(refused.code(), "build");
    }
}
