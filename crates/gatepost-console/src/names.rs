//! The names of the rows that a page mentions: the platform's with one call for each of its tables,
//! the owners of keys, the records of deliveries, and the entries of the catalog.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use apikey_core::OwnerId;
use chrono::TimeDelta;
use gatepost_storage::webhooks::{Cause, Delivery};
use maud::{Markup, html};
use webhook_model::{EventType, ObjectId, Specificity, TaskId, Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::seen;

/// The time for the names of one table after which the platform is asked for no other.
const SLOW: TimeDelta = TimeDelta::seconds(1);
/// The platform's table of users.
pub(crate) const USERS: &str = "users";

/// Names of users, objects and tags, as the caller knows them.
#[derive(Debug, Default)]
pub(crate) struct PlatformNames(BTreeMap<String, BTreeMap<ObjectId, String>>);

impl PlatformNames {
    /// Returns the names of these rows, each given by its table and id: at most those of one page.
    pub(crate) async fn of(
        ctx: &PageContext,
        rows: impl IntoIterator<Item = (String, ObjectId)>,
    ) -> Self {
        let mut asked: BTreeMap<String, BTreeSet<ObjectId>> = BTreeMap::new();
        for (table, key) in rows {
            asked.entry(table).or_default().insert(key);
        }
        let mut names = BTreeMap::new();
        for (table, keys) in asked {
            let began = ctx.now();
            let found = ctx.actor.names(&table, keys).await;
            names.insert(table, found);
            if ctx.now() - began > SLOW {
                break;
            }
        }
        Self(names)
    }

    /// Returns the name of a row; `None` if the platform returned none.
    pub(crate) fn get(&self, table: &str, key: ObjectId) -> Option<&str> {
        Some(self.0.get(table)?.get(&key)?.as_str())
    }
}

/// The names in the rows of a list: webhooks, tasks, objects and users, as the caller may see them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub webhooks: BTreeMap<WebhookId, Webhook>,
    pub tasks: BTreeMap<TaskId, String>,
    rows: PlatformNames,
}

impl Names {
    /// Loads the names with one query of the store for webhooks and one for tasks, and one call of
    /// the platform for each of its tables.
    pub(crate) async fn of(ctx: &PageContext, deliveries: &[Delivery]) -> Result<Self, Failure> {
        let webhooks = deliveries.iter().map(|delivery| delivery.webhook);
        let tasks = deliveries.iter().filter_map(|delivery| delivery.task);
        let causes = deliveries.iter().filter_map(|row| row.cause.as_ref());
        Ok(Self {
            webhooks: ctx.actor.named_webhooks(webhooks).await?,
            tasks: ctx.actor.task_names(tasks).await?,
            rows: PlatformNames::of(ctx, causes.flat_map(platform_rows)).await,
        })
    }

    /// Returns the name of a row of the platform, or its id.
    pub(crate) fn row(&self, table: &str, key: ObjectId) -> String {
        let name = self.rows.get(table, key);
        name.map_or_else(|| format!("#{key}"), str::to_owned)
    }
}

/// Returns the object of a cause, and the user who ran it manually.
fn platform_rows(cause: &Cause) -> impl Iterator<Item = (String, ObjectId)> {
    let object = cause.object.map(|id| (cause.event_type.to_string(), id));
    let by = cause.by.map(|user| ("users".to_owned(), user.into()));
    object.into_iter().chain(by)
}

/// Returns a type of the catalog by its name, with its label and the targets of its events.
pub(crate) fn known_type<'a>(
    ctx: &'a PageContext,
    name: &str,
) -> Option<(&'a EventType, Cow<'a, str>, Specificity)> {
    let mut types = ctx.actor.catalog().types();
    let (of, label, specificity) = types.find(|(of, ..)| of.as_str() == name)?;
    Some((of, ctx.texts().rule(label), specificity))
}

/// Returns the types of the catalog, to choose from.
pub(crate) fn types(ctx: &PageContext) -> Vec<(String, String)> {
    let (t, types) = (ctx.texts(), ctx.actor.catalog().types());
    let types = types.map(|(of, label, _)| (of.to_string(), t.rule(label).into_owned()));
    types.collect()
}

/// Returns the events of a type, to choose from.
pub(crate) fn events(ctx: &PageContext, of: &EventType) -> Vec<(String, String)> {
    let (t, events) = (ctx.texts(), ctx.actor.catalog().events(of));
    let events = events.map(|(event, label)| (event.to_string(), t.rule(label).into_owned()));
    events.collect()
}

/// Returns the name of a user.
pub(crate) async fn user_name(ctx: &PageContext, user: OwnerId) -> String {
    let name = ctx.actor.name(USERS, user.into()).await;
    name.unwrap_or_else(|| unnamed(ctx, user))
}

/// Returns the name of a user from these names.
pub(crate) fn user<'a>(ctx: &PageContext, names: &'a PlatformNames, user: OwnerId) -> Cow<'a, str> {
    match names.get(USERS, user.into()) {
        Some(name) => seen(name),
        None => unnamed(ctx, user).into(),
    }
}

/// Renders the owner of a key, with a link to the owner's page.
pub(crate) fn owner(ctx: &PageContext, owners: &PlatformNames, owner: OwnerId) -> Markup {
    html! { a href=(ctx.at(&format!("/users/{owner}"))) { (user(ctx, owners, owner)) } }
}

fn unnamed(ctx: &PageContext, user: OwnerId) -> String {
    let id = [("id", user.to_string().into())];
    ctx.texts().with("keys-user-unnamed", &id)
}
