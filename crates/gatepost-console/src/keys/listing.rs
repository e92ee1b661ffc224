//! How keys are searched, filtered and sorted.

use std::borrow::Cow;

use apikey_core::{Expiration, KeyId, KeyState};
use chrono::{DateTime, Utc};
use gatepost_storage::keys::{KeyQuery, KeyRow};

use super::review::{is_active, is_expiring, is_unused};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::list_view::{Asked, ListTexts, Listing, Rank, Shape, Shown, SortBy};

/// Keys at this moment.
pub(super) struct KeyList(DateTime<Utc>);

impl Listing for KeyList {
    type Row = KeyRow;
    const SHAPE: Shape = Shape {
        limit: "keys",
        texts: ListTexts {
            search: "lists-keys-search",
            searched: "lists-keys-searched",
            count: "lists-keys-count",
            more: "lists-keys-more",
            matches: "lists-keys-matches",
            too_many: "lists-keys-too-many",
        },
        orders: &[
            SortBy {
                name: "name",
                up: "lists-keys-sort-name",
                down: "lists-keys-sort-name-down",
            },
            SortBy {
                name: "expires",
                up: "lists-keys-sort-expires",
                down: "lists-keys-sort-expires-down",
            },
            SortBy {
                name: "used",
                up: "lists-keys-sort-used",
                down: "lists-keys-sort-used-down",
            },
            SortBy {
                name: "state",
                up: "lists-keys-sort-state",
                down: "lists-keys-sort-state-down",
            },
        ],
        states: &[
            ("active", "lists-keys-state-active"),
            ("expiring", "lists-keys-state-expiring"),
            ("expired", "lists-keys-state-expired"),
            ("disabled", "lists-keys-state-disabled"),
            ("unused", "lists-keys-state-unused"),
            ("never", "lists-keys-state-never"),
        ],
        kept: &[],
    };

    fn number(row: &KeyRow) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a KeyRow) -> Vec<Cow<'a, str>> {
        let (key, hint) = (&row.key, row.key.hint.to_string());
        vec![
            key.name.as_str().into(),
            key.description.as_str().into(),
            hint.into(),
        ]
    }

    fn rank(&self, row: &KeyRow, order: &str) -> Rank {
        let key = &row.key;
        match order {
            "expires" => Rank::Time(match key.expiration {
                Expiration::At(at) => at,
                Expiration::Never => DateTime::<Utc>::MAX_UTC,
            }),
            "used" => Rank::time_or_never(key.last_login.map(|login| login.at)),
            "state" => Rank::Number(u64::from(!is_active(key, self.0))),
            _ => Rank::text(key.name.as_str()),
        }
    }

    fn is_in(&self, row: &KeyRow, state: &str) -> bool {
        let (key, now) = (&row.key, self.0);
        match state {
            "active" => is_active(key, now),
            "expired" => key.state(now) == KeyState::Expired,
            "disabled" => !key.enabled,
            "expiring" => is_expiring(key, now),
            "unused" => is_unused(key, now),
            _ => key.last_login.is_none(),
        }
    }
}

/// The page of keys that was asked for.
pub(super) async fn shown(ctx: &PageContext, asked: &Asked) -> Result<Shown<KeyRow>, Failure> {
    let scope = asked.scope();
    let found = asked
        .read::<KeyList, _>(ctx, async |page| {
            let query = KeyQuery {
                scope,
                name: None,
                page: page.numbered(KeyId),
            };
            let listed = ctx.actor.keys(query).await?;
            Ok((listed.rows, listed.next.map(|id| id.0)))
        })
        .await?;
    Ok(asked.select(found, &KeyList(ctx.now())).await)
}
