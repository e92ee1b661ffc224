//! The signing secrets of a webhook.

use gatepost_storage::Row;
use webhook_model::{SigningSecret, SigningSecrets, Webhook, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::error::ManageError;

impl Actor {
    /// Creates a new signing secret for a webhook. It is the second part of the result and is never
    /// shown again. At most `overlap` of the old secrets continue to sign as well.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn rotate_signing_secret(
        &self,
        id: WebhookId,
        overlap: usize,
    ) -> Result<(Row<WebhookId, Webhook>, SigningSecret), ManageError> {
        let secret = SigningSecret::from_random(rand::random());
        let new = secret.clone();
        let row = self
            .change_webhook(id, Operation::RotateSecret, move |webhook| {
                webhook.signing = webhook.signing.rotated(new.clone(), overlap);
                Ok(())
            })
            .await?;
        Ok((row, secret))
    }

    /// Ends the rotation of a webhook's signing secrets: only the newest continues to sign.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn retire_signing_secrets(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.change_webhook(id, Operation::RotateSecret, |webhook| {
            let newest = webhook.signing.iter().take(1).cloned().collect();
            webhook.signing = SigningSecrets::new(newest)?;
            Ok(())
        })
        .await
    }

    /// Removes the signing secrets of a webhook: its deliveries are no longer signed.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn remove_signing_secrets(
        &self,
        id: WebhookId,
    ) -> Result<Row<WebhookId, Webhook>, ManageError> {
        self.edit_webhook(id, |webhook| {
            webhook.signing = SigningSecrets::none();
            Ok(())
        })
        .await
    }
}
