//! How webhooks are searched, filtered and sorted.

use std::borrow::Cow;

use gatepost_storage::Row;
use gatepost_storage::webhooks::WebhookQuery;
use webhook_model::{Activity, Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::list_view::{Asked, ListTexts, Listing, Rank, Shape, Shown, SortBy};

/// Webhooks.
pub(super) struct WebhookList;

impl Listing for WebhookList {
    type Row = Row<WebhookId, Webhook>;
    const SHAPE: Shape = Shape {
        limit: "webhooks",
        texts: ListTexts {
            search: "lists-webhooks-search",
            searched: "lists-webhooks-searched",
            count: "lists-webhooks-count",
            more: "lists-webhooks-more",
            matches: "lists-webhooks-matches",
            too_many: "lists-webhooks-too-many",
        },
        orders: &[
            SortBy {
                name: "name",
                up: "lists-webhooks-sort-name",
                down: "lists-webhooks-sort-name-down",
            },
            SortBy {
                name: "url",
                up: "lists-webhooks-sort-url",
                down: "lists-webhooks-sort-url-down",
            },
            SortBy {
                name: "timeout",
                up: "lists-webhooks-sort-timeout",
                down: "lists-webhooks-sort-timeout-down",
            },
            SortBy {
                name: "retries",
                up: "lists-webhooks-sort-retries",
                down: "lists-webhooks-sort-retries-down",
            },
            SortBy {
                name: "state",
                up: "lists-webhooks-sort-state",
                down: "lists-webhooks-sort-state-down",
            },
        ],
        states: &[
            ("active", "lists-webhooks-state-active"),
            ("paused", "lists-webhooks-state-paused"),
            ("disabled", "lists-webhooks-state-disabled"),
            ("insecure", "lists-webhooks-state-insecure"),
        ],
        kept: &[],
    };

    fn number(row: &Self::Row) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a Self::Row) -> Vec<Cow<'a, str>> {
        vec![row.value.name.as_str().into(), place(&row.value).into()]
    }

    fn rank(&self, row: &Self::Row, order: &str) -> Rank {
        let webhook = &row.value;
        match order {
            "url" => Rank::text(&place(webhook)),
            "timeout" => Rank::Number(webhook.timeout.as_secs()),
            "retries" => Rank::Number(webhook.reattempts().into()),
            "state" => Rank::Number(match webhook.activity {
                Activity::Active => 0,
                Activity::Paused => 1,
                Activity::Disabled => 2,
            }),
            _ => Rank::text(webhook.name.as_str()),
        }
    }

    fn is_in(&self, row: &Self::Row, state: &str) -> bool {
        let webhook = &row.value;
        match state {
            "active" => webhook.activity == Activity::Active,
            "paused" => webhook.activity == Activity::Paused,
            "disabled" => webhook.activity == Activity::Disabled,
            _ => webhook.allow_insecure,
        }
    }
}

/// The page of webhooks that was asked for.
pub(super) async fn shown(
    ctx: &PageContext,
    asked: &Asked,
) -> Result<Shown<Row<WebhookId, Webhook>>, Failure> {
    let scope = asked.scope();
    let found = asked
        .read::<WebhookList, _>(ctx, async |page| {
            let query = WebhookQuery {
                scope,
                name: None,
                page: page.numbered(WebhookId),
            };
            let listed = ctx.actor.webhooks(&query).await?;
            Ok((listed.rows, listed.next.map(|id| id.0)))
        })
        .await?;
    Ok(asked.select(found, &WebhookList).await)
}

/// Where a webhook leads, without a query, which may hold credentials.
fn place(webhook: &Webhook) -> String {
    let url = webhook.url.as_str();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = url.find(['?', '#']).unwrap_or(url.len());
    url.get(..end).unwrap_or(url).to_owned()
}
