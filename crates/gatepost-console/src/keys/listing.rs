//! How keys are searched, filtered and sorted.

use std::borrow::Cow;

use apikey_core::{Expiration, KeyId, KeyState};
use chrono::{DateTime, Utc};
use gatepost_storage::keys::{KeyQuery, KeyRow};

use super::review::{is_expiring, is_unused};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::list_view::{Asked, Listing, Rank, Shape, Shown, SortBy};

/// Keys at this moment.
pub(super) struct KeyList(DateTime<Utc>);

impl Listing for KeyList {
    type Row = KeyRow;
    const SHAPE: Shape = Shape {
        one: "key",
        many: "keys",
        searched: "name, description and the visible part of the key",
        orders: &[
            SortBy {
                name: "name",
                up: "Name, A to Z",
                down: "Name, Z to A",
            },
            SortBy {
                name: "expires",
                up: "Expires first",
                down: "Expires last",
            },
            SortBy {
                name: "used",
                up: "Longest unused",
                down: "Last used",
            },
            SortBy {
                name: "state",
                up: "Active before expired",
                down: "Expired before active",
            },
        ],
        states: &[
            ("active", "Active"),
            ("expiring", "Expiring within 14 days"),
            ("expired", "Expired"),
            ("unused", "Unused for 90 days"),
            ("never", "Never used"),
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
            "state" => Rank::Number(u64::from(key.state(self.0) != KeyState::Active)),
            _ => Rank::text(key.name.as_str()),
        }
    }

    fn is_in(&self, row: &KeyRow, state: &str) -> bool {
        let (key, now) = (&row.key, self.0);
        match state {
            "active" => key.state(now) == KeyState::Active,
            "expired" => key.state(now) == KeyState::Expired,
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
