//! The signing secrets of a webhook.

use gatepost_storage::Row;
use webhook_model::{SigningSecret, SigningSecrets, Webhook, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::completion::Answer;

impl Actor {
    /// Creates a new signing secret for a webhook. It is the second part of the result and is never
    /// shown again. At most `overlap` of the old secrets continue to sign as well.
    ///
    /// # Errors
    /// [`NotFound`](crate::ManageError::NotFound), failures of store and accounts.
    pub fn rotate_signing_secret(
        &self,
        id: WebhookId,
        overlap: usize,
    ) -> Answer<'_, (Row<WebhookId, Webhook>, SigningSecret)> {
        let secret = SigningSecret::from_random(rand::random());
        let new = secret.clone();
        let rotate = move |webhook: &mut Webhook| {
            webhook.signing = webhook.signing.rotated(new.clone(), overlap);
            Ok(())
        };
        let row = self.change_webhook(id, Operation::RotateSecret, Box::new(rotate));
        Box::pin(async move { Ok((row.await?, secret)) })
    }

    /// Ends the rotation of a webhook's signing secrets: only the newest continues to sign.
    ///
    /// # Errors
    /// [`NotFound`](crate::ManageError::NotFound), failures of store and accounts.
    pub fn retire_signing_secrets(&self, id: WebhookId) -> Answer<'_, Row<WebhookId, Webhook>> {
        let retire = |webhook: &mut Webhook| {
            let newest = webhook.signing.iter().take(1).cloned().collect();
            webhook.signing = SigningSecrets::new(newest)?;
            Ok(())
        };
        self.change_webhook(id, Operation::RotateSecret, Box::new(retire))
    }

    /// Removes the signing secrets of a webhook: its deliveries are no longer signed.
    ///
    /// # Errors
    /// [`NotFound`](crate::ManageError::NotFound), failures of store and accounts.
    pub fn remove_signing_secrets(&self, id: WebhookId) -> Answer<'_, Row<WebhookId, Webhook>> {
        self.edit_webhook(id, |webhook| {
            webhook.signing = SigningSecrets::none();
            Ok(())
        })
    }
}
