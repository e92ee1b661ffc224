//! How changes are searched and narrowed down.

use std::borrow::Cow;

use gatepost_manage::LoggedChange;
use gatepost_storage::audit::{AuditId, AuditQuery};

use super::words::TABLES;
use crate::changes_link::RECORD;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::list_view::{Asked, Kept, ListTexts, Listing, Rank, Shape, Shown};

/// The part of the address that has who did it.
pub(super) const ACTOR: &str = "by";

/// Changes; their texts are all in the row.
pub(super) struct ChangeList;

impl Listing for ChangeList {
    type Row = LoggedChange;
    const SHAPE: Shape = Shape {
        limit: "changes",
        texts: ListTexts {
            search: "changes-search",
            searched: "changes-searched",
            count: "changes-count",
            more: "changes-more",
            matches: "changes-matches",
            too_many: "changes-too-many",
        },
        orders: &[],
        states: &[
            (TABLES[0].0, TABLES[0].1),
            (TABLES[1].0, TABLES[1].1),
            (TABLES[2].0, TABLES[2].1),
            (TABLES[3].0, TABLES[3].1),
            (TABLES[4].0, TABLES[4].1),
        ],
        kept: &[
            Kept {
                name: RECORD,
                how: "changes-narrow-record",
                only: Some("changes-only-record"),
            },
            Kept {
                name: ACTOR,
                how: "changes-narrow-actor",
                only: Some("changes-only-actor"),
            },
        ],
    };

    fn number(row: &LoggedChange) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a LoggedChange) -> Vec<Cow<'a, str>> {
        let mut texts: Vec<Cow<'a, str>> = vec![
            row.name.as_str().into(),
            row.operation.as_str().into(),
            format!("{}/{}", row.table, row.row).into(),
        ];
        for change in row.changes.iter() {
            texts.push((&*change.field).into());
            if let Some((old, new)) = &change.values {
                texts.extend([old.as_str().into(), new.as_str().into()]);
            }
        }
        texts
    }

    fn rank(&self, row: &LoggedChange, _order: &str) -> Rank {
        Rank::Time(row.at)
    }

    fn is_in(&self, row: &LoggedChange, table: &str) -> bool {
        row.table == table
    }
}

/// The page of changes that was asked for.
pub(super) async fn shown(
    ctx: &PageContext,
    asked: &Asked,
) -> Result<Shown<LoggedChange>, Failure> {
    let record = asked.kept(RECORD).split_once('/');
    let record = record.and_then(|(table, row)| Some((table.to_owned(), row.parse().ok()?)));
    let actor = asked.kept(ACTOR).parse().ok();
    let scope = asked.scope();
    let found = asked
        .read::<ChangeList, _>(ctx, async |page| {
            let query = AuditQuery {
                scope,
                record: record.clone(),
                actor,
                ..AuditQuery::all(page.numbered(AuditId))
            };
            let listed = ctx.actor.logged_changes(&query).await?;
            Ok((listed.rows, listed.next.map(|id| id.0)))
        })
        .await?;
    Ok(asked.select(found, &ChangeList).await)
}
