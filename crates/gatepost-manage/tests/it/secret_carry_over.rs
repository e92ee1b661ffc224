//! Stored secrets do not follow a webhook to another URL, for any editor and any kind of edit.

use gatepost_manage::ManageError;
use webhook_model::{Authorization, ResubmittedSecrets, SigningSecrets, Webhook};

use crate::world::{ADMIN, OWNER, TENANT, World};

fn moved(webhook: &mut Webhook) {
    webhook.url = "https://evil.example/".parse().unwrap();
}

fn token() -> Authorization {
    Authorization::bearer("s3cret").unwrap()
}

fn field<T>(result: Result<T, ManageError>) -> &'static str {
    match result {
        Err(ManageError::Invalid { field, rule, .. }) => {
            assert!(!rule.contains("s3cret"), "{rule}");
            field
        }
        Err(error) => panic!("{error:?}"),
        Ok(_) => "",
    }
}

#[tokio::test]
async fn target_change_requires_secrets_reentered_or_removed() {
    let world = World::start().await;
    let id = world.rows.webhook;
    let owner = world.of(OWNER);
    owner.rotate_signing_secret(id, 0).await.unwrap();
    let with_token = owner.edit_webhook(id, |webhook| {
        webhook.authorization = token();
        Ok(())
    });
    with_token.await.unwrap();
    let authorization = ResubmittedSecrets::default().with_authorization(true);
    let all = authorization.with_signing(true);
    for by in [OWNER, TENANT, ADMIN] {
        let actor = world.of(by);
        let keeping = |webhook: &mut Webhook| {
            moved(webhook);
            Ok(())
        };
        assert_eq!(
            field(actor.edit_webhook(id, keeping).await),
            "authorization_value"
        );
        let entered = actor.edit_webhook_with(id, authorization, keeping).await;
        assert_eq!(field(entered), "signing_secrets");
    }
    let stored = owner.webhook(id).await.unwrap().value;
    assert_eq!(
        (stored.url.as_str(), &stored.authorization),
        ("http://10.0.0.1/", &token())
    );
    let entering = owner.edit_webhook_with(id, all, |webhook| {
        moved(webhook);
        Ok(())
    });
    assert_eq!(field(entering.await), "");
    let back = owner.edit_webhook(id, |webhook| {
        webhook.url = "http://10.0.0.1/".parse().unwrap();
        (webhook.authorization, webhook.signing) = (Authorization::None, SigningSecrets::none());
        Ok(())
    });
    assert_eq!(field(back.await), "");
}
