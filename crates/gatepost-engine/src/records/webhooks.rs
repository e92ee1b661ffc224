//! Webhooks (SPEC 2.2).

use std::sync::Arc;

use delivery::RequestError;
use gatepost_storage::webhooks::{Cascade, RecordId, TaskQuery, WebhookQuery, WebhookStore};
use gatepost_storage::{Bodies, ErrorKind, Page, Row, Scope};
use webhook_model::{Activity, Authorization, Field, Invalid, RetrySchedule, Webhook, WebhookId};

use super::allowance::{Admitted, Allowance, Kind};
use super::targets::{TargetVerdict, Targets};
use crate::admission::Admission;
use crate::clock::EngineClock;
use crate::config::RetryScheduleLimits;
use crate::edit::edit;
use crate::error::EngineError;
use crate::routes::prototype;
use crate::troubles::Troubles;

/// How many tasks are named to a caller who may not delete a webhook.
const NAMED: u32 = 20;
/// How many of the others are read at a time to be counted.
const COUNTED: u32 = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Webhooks {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub admission: Arc<Admission>,
    pub allowance: Allowance,
    pub troubles: Arc<Troubles>,
    pub targets: Targets,
    pub schedules: RetryScheduleLimits,
}

impl Webhooks {
    pub(crate) async fn create(
        &self,
        webhook: &Webhook,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        check(webhook)?;
        self.check_token_url(webhook, None)?;
        self.check_schedule(None, webhook)?;
        let (kind, mut admitted) = (Kind::Webhooks, Admitted::default());
        let at_most = self
            .allowance
            .of(webhook.owner, kind, &mut admitted)
            .await?;
        let now = self.clock.now()?;
        let inserted = self.store.insert_webhook(webhook, at_most, now).await;
        let inserted = inserted.map_err(EngineError::from);
        self.allowance.explained(inserted, kind, &admitted).await
    }

    pub(crate) async fn get(
        &self,
        id: WebhookId,
    ) -> Result<Option<Row<WebhookId, Webhook>>, EngineError> {
        Ok(self.store.webhook(id).await?)
    }

    pub(crate) async fn some(
        &self,
        ids: &[WebhookId],
    ) -> Result<Vec<Row<WebhookId, Webhook>>, EngineError> {
        Ok(self.store.webhooks(ids).await?)
    }

    pub(crate) async fn list(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, EngineError> {
        Ok(self.store.list_webhooks(query).await?)
    }

    pub(crate) async fn edit(
        &self,
        id: WebhookId,
        mut edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        let (mut admitted, mut before) = (Admitted::default(), Activity::default());
        let edit = |webhook: &mut Webhook| {
            before = webhook.activity;
            edit(webhook)
        };
        let edited = self.edit_row(id, edit, &mut admitted).await;
        let row = self
            .allowance
            .explained(edited, Kind::Webhooks, &admitted)
            .await?;
        self.admission.lanes.inquiries.ask(id);
        if row.value.activity == Activity::Disabled && before != Activity::Disabled {
            self.troubles.disabled(&row, "by hand");
        }
        Ok(row)
    }

    pub(crate) async fn delete(&self, id: WebhookId, cascade: Cascade) -> Result<(), EngineError> {
        let owner = self.allowance.of_deletion(RecordId::Webhook(id)).await?;
        let now = self.clock.now()?;
        match self.store.delete_webhook(id, cascade, now).await {
            Err(error) if error.kind() == ErrorKind::InUse => {
                let (tasks, more) = self.users(id).await?;
                Err(EngineError::InUse { tasks, more })
            }
            other => {
                other?;
                if let Some(owner) = owner {
                    self.allowance.judge.deleted(owner).await;
                }
                Ok(())
            }
        }
    }

    /// A schedule that it had `before` is not asked about again.
    fn check_schedule(
        &self,
        before: Option<&RetrySchedule>,
        webhook: &Webhook,
    ) -> Result<(), Invalid> {
        match webhook.retry_schedule.as_ref() {
            new @ Some(_) if new == before => Ok(()),
            Some(new) => self.schedules.check(new),
            None => Ok(()),
        }
    }

    async fn edit_row(
        &self,
        id: WebhookId,
        mut edit: impl FnMut(&mut Webhook) -> Result<(), Invalid> + Send,
        admitted: &mut Admitted,
    ) -> Result<Row<WebhookId, Webhook>, EngineError> {
        let mut apply = |webhook: &mut Webhook| {
            let before = (
                webhook.authorization.clone(),
                webhook.retry_schedule.clone(),
            );
            edit(webhook)?;
            check(webhook)?;
            self.check_token_url(webhook, Some(&before.0))?;
            self.check_schedule(before.1.as_ref(), webhook)
        };
        edit!(
            self,
            webhook,
            update_webhook,
            Into::into,
            id,
            |row| apply(&mut row.value)?,
            self.allowance
                .of(row.owner, Kind::Webhooks, admitted)
                .await?
        )
    }

    /// A client's secret is not kept for a token endpoint that nothing may be sent to. One that was
    /// allowed when it was stored stays: each attempt judges it again.
    fn check_token_url(
        &self,
        webhook: &Webhook,
        before: Option<&Authorization>,
    ) -> Result<(), Invalid> {
        let url = |authorization: &Authorization| match authorization {
            Authorization::OAuth2(client) => Some(client.token_url().clone()),
            _ => None,
        };
        let Some(new) = url(&webhook.authorization) else {
            return Ok(());
        };
        if before.and_then(url).as_ref() == Some(&new) {
            return Ok(());
        }
        match self.targets.judge_url(&new) {
            TargetVerdict::Refused(refusal) => {
                let rule = format!("cannot be asked: {refusal}");
                Err(Invalid::new(Field::OAuthTokenUrl, rule))
            }
            _ => Ok(()),
        }
    }

    /// The names of tasks that send this webhook.
    /// The names of the first tasks that send it, and how many more do.
    async fn users(&self, id: WebhookId) -> Result<(Vec<String>, u64), EngineError> {
        let mut query = TaskQuery {
            scope: Scope::All,
            creator: None,
            webhook: Some(id),
            name: None,
            page: Page::first(NAMED).with_bodies(Bodies::Omitted),
        };
        let mut tasks = self.store.list_tasks(&query).await?;
        let names = tasks.iter().map(|row| row.value.name.to_string()).collect();
        let mut more = 0;
        while let Some(last) = tasks.last() {
            query.page = Page::first(COUNTED)
                .beyond(last.id)
                .with_bodies(Bodies::Omitted);
            tasks = self.store.list_tasks(&query).await?;
            more += tasks.len() as u64;
        }
        Ok((names, more))
    }
}

/// What the sender would refuse each time is refused here, where its owner sees it.
fn check(webhook: &Webhook) -> Result<(), Invalid> {
    webhook.check()?;
    let Err(error) = prototype(webhook) else {
        return Ok(());
    };
    let field = match error {
        RequestError::ClientIdentity(error) if error.is_about_key() => Field::ClientKey,
        RequestError::ClientIdentity(_) => Field::ClientCertificate,
        RequestError::SigningKey(_) => Field::SigningSecrets,
        RequestError::HeaderName(_)
        | RequestError::HeaderValue(_)
        | RequestError::ReservedHeader(_)
        | RequestError::TooManyHeaders => Field::Headers,
        _ => Field::Url,
    };
    Err(Invalid::new(field, error.to_string()))
}
