//! The outbox: occurrences that hosts inserted in their own transactions.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{OutboxId, OutboxRow, OutboxStore, Unreadable};
use serde_json::Value;
use tokio_postgres::Row;
use webhook_model::{Object, ObjectId, Occurrence, TagId};

use crate::PostgresStore;
use crate::error::{Failure, Result};

#[async_trait]
impl OutboxStore for PostgresStore {
    async fn push_outbox(
        &self,
        occurrence: &Occurrence,
        now: DateTime<Utc>,
    ) -> std::result::Result<OutboxId, StoreError> {
        let tags: Vec<i64> = occurrence.tags.iter().map(|t| t.0).collect();
        let row = self
            .db()
            .query_opt(
                include_str!("sql/outbox/push.sql"),
                &[
                    &occurrence.event_type.as_str(),
                    &occurrence.event.as_str(),
                    &occurrence.object.as_ref().map(|o| o.id.0),
                    &occurrence.object.as_ref().map(|o| o.name.as_str()),
                    &Value::from(tags).to_string(),
                    // Pairs, not an object: order and repeats are kept.
                    &serde_json::json!(occurrence.variables).to_string(),
                    &occurrence.id.as_ref().map(|id| id.as_str()),
                    &now,
                ],
            )
            .await?;
        let id = row
            .ok_or_else(|| Failure::unavailable("no row came back"))?
            .try_get(0)
            .map_err(Failure::from)?;
        self.inner.notifier.work_arrived();
        Ok(OutboxId(id))
    }

    async fn outbox(&self, limit: u32) -> std::result::Result<Vec<OutboxRow>, StoreError> {
        let rows = self
            .db()
            .query(include_str!("sql/outbox/waiting.sql"), &[&i64::from(limit)])
            .await?;
        Ok(rows.iter().map(outbox_row).collect::<Result<_>>()?)
    }

    async fn reject_outbox(
        &self,
        id: OutboxId,
        reason: &str,
        _now: DateTime<Utc>,
    ) -> std::result::Result<(), StoreError> {
        let reason = reason.replace('\0', "\u{fffd}");
        match self
            .db()
            .execute(
                "UPDATE gatepost_occurrence SET rejected = $2 WHERE id = $1",
                &[&id.0, &reason],
            )
            .await?
        {
            0 => Err(StoreError::not_found("outbox row")),
            _ => Ok(()),
        }
    }
}

fn outbox_row(row: &Row) -> Result<OutboxRow> {
    let columns = Columns {
        event_type: row.try_get("event_type")?,
        event: row.try_get("event")?,
        object_id: row.try_get("object_id")?,
        object_name: row.try_get("object_name")?,
        tags: row.try_get("tags")?,
        variables: row.try_get("variables")?,
        id: row.try_get("occurrence_id")?,
    };
    Ok(OutboxRow {
        id: OutboxId(row.try_get("id")?),
        occurrence: columns.occurrence().map_err(Unreadable),
    })
}

struct Columns<'a> {
    event_type: &'a str,
    event: &'a str,
    object_id: Option<i64>,
    object_name: Option<&'a str>,
    tags: &'a str,
    variables: &'a str,
    id: Option<&'a str>,
}

impl Columns<'_> {
    /// The occurrence, or which column breaks which rule.
    fn occurrence(&self) -> std::result::Result<Occurrence, String> {
        let object = match (self.object_id, self.object_name) {
            (Some(id), name) => Some(Object {
                id: ObjectId(id),
                name: name.unwrap_or_default().to_owned(),
            }),
            (None, None) => None,
            (None, Some(_)) => return Err("object_name is set, object_id is not".to_owned()),
        };
        Ok(Occurrence {
            id: self
                .id
                .map(str::parse)
                .transpose()
                .map_err(|e| format!("occurrence_id {e}"))?,
            event_type: self
                .event_type
                .parse()
                .map_err(|e| format!("event_type {e}"))?,
            event: self.event.parse().map_err(|e| format!("event {e}"))?,
            object,
            tags: tags(self.tags)?,
            variables: variables(self.variables)?,
        })
    }
}

fn tags(json: &str) -> std::result::Result<Vec<TagId>, String> {
    let tags: Vec<i64> = serde_json::from_str(json)
        .map_err(|_| "tags must be a JSON array of integers".to_owned())?;
    Ok(tags.into_iter().map(TagId).collect())
}

/// An object of strings, or an array of pairs of them.
fn variables(json: &str) -> std::result::Result<Vec<(String, String)>, String> {
    let wrong =
        || "variables must be a JSON object of strings, or an array of pairs of strings".to_owned();
    match serde_json::from_str(json).map_err(|_| wrong())? {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(value) => Ok((name, value)),
                _ => Err(wrong()),
            })
            .collect(),
        pairs => serde_json::from_value(pairs).map_err(|_| wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Columns<'static> {
        Columns {
            event_type: "vms",
            event: "poweron",
            object_id: Some(7),
            object_name: None,
            tags: "[1, 2]",
            variables: r#"{"a":"b"}"#,
            id: None,
        }
    }

    #[test]
    fn variables_are_an_object_or_pairs() {
        assert_eq!(
            columns().occurrence().unwrap().variables,
            [("a".to_owned(), "b".to_owned())]
        );
        assert_eq!(variables(r#"[["x","1"],["x","2"]]"#).unwrap().len(), 2);
        assert_eq!(tags("[]").unwrap(), []);
    }

    #[test]
    fn a_row_that_breaks_a_rule_names_the_column() {
        let broken = [
            (
                Columns {
                    event_type: "VMs!",
                    ..columns()
                },
                "event_type",
            ),
            (
                Columns {
                    event: "",
                    ..columns()
                },
                "event",
            ),
            (
                Columns {
                    tags: r#"{"a":1}"#,
                    ..columns()
                },
                "tags",
            ),
            (
                Columns {
                    tags: "[1.5]",
                    ..columns()
                },
                "tags",
            ),
            (
                Columns {
                    variables: r#"{"a":1}"#,
                    ..columns()
                },
                "variables",
            ),
            (
                Columns {
                    variables: "7",
                    ..columns()
                },
                "variables",
            ),
            (
                Columns {
                    id: Some(""),
                    ..columns()
                },
                "occurrence_id",
            ),
            (
                Columns {
                    object_id: None,
                    object_name: Some("vm"),
                    ..columns()
                },
                "object_name",
            ),
        ];
        for (columns, names) in broken {
            let reason = columns.occurrence().unwrap_err();
            assert!(reason.starts_with(names), "{reason}");
        }
    }
}
