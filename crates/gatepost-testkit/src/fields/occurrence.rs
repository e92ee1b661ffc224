//! The fields of a row of the outbox.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use gatepost_ids::{Audience, ObjectId, OwnerId, TagId, TenantId};
use gatepost_storage::webhooks::{OutboxId, OutboxRow, RemainingTasks};
use webhook_model::{Object, Occurrence, TaskId, WebhookId, WebhookIds};

use super::field::{Field, Rule};
use crate::fixtures::{at, trace};

/// Returns every field of a row of the outbox, which nothing edits; only its remaining audiences,
/// its turn and its due time change.
///
/// # Panics
/// If the occurrence of the base cannot be read.
#[must_use]
pub fn of_outbox_row(base: &OutboxRow) -> Vec<Field<OutboxRow>> {
    let occurrence = base.occurrence.clone().expect("an occurrence");
    let mut fields = super::field::fields! { base.clone(), row =>
        row, OutboxRow {
            id: Shown [OutboxId(7_001), OutboxId(7_002)],
            occurrence: Kept [],
            left: Own [RemainingTasks::After(TaskId(7_001)), RemainingTasks::Tasks(vec![TaskId(9), TaskId(3)])],
            by: Kept [Some(OwnerId(7_001)), Some(OwnerId(u128::MAX))],
            turn: Own [7_001, 7_002],
            created: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
        };
    };
    fields.extend(of_occurrence(base, &occurrence));
    fields
}

macro_rules! parts {
    ($base:expr, $occurrence:expr; $($field:ident: [$($value:expr),* $(,)?],)*) => {{
        // A new field must be named here.
        assert_eq!(names_of($occurrence), BTreeSet::from([$(stringify!($field).to_owned()),*]));
        vec![$(Field {
            name: concat!("row.occurrence.", stringify!($field)),
            rule: Rule::Kept,
            values: vec![$({
                let mut with = $base.clone();
                if let Ok(occurrence) = &mut with.occurrence {
                    occurrence.$field = $value;
                }
                with
            }),*],
            copy: |from, to| {
                if let (Ok(from), Ok(to)) = (&from.occurrence, &mut to.occurrence) {
                    to.$field = from.$field.clone();
                }
            },
            same: |a, b| match (&a.occurrence, &b.occurrence) {
                (Ok(a), Ok(b)) => a.$field == b.$field,
                (a, b) => a == b,
            },
            show: |row| format!("{:?}", row.occurrence.as_ref().map(|o| &o.$field)),
        }),*]
    }};
}

/// Returns the names of the fields in the `Debug` form: another crate cannot destructure an
/// occurrence completely.
fn names_of(occurrence: &Occurrence) -> BTreeSet<String> {
    let shown = format!("{occurrence:#?}");
    let lines = shown.lines().filter_map(|line| line.strip_prefix("    "));
    let fields = lines.filter(|line| line.starts_with(char::is_alphabetic));
    let names = fields.filter_map(|line| line.split_once(':'));
    names.map(|(name, _)| name.to_owned()).collect()
}

fn of_occurrence(base: &OutboxRow, occurrence: &Occurrence) -> Vec<Field<OutboxRow>> {
    let object = |id, name: &str| Some(Object::new(ObjectId::from(id), name));
    let pairs = |pairs: [(&str, &str); 3]| pairs.map(|(k, v)| (k.to_owned(), v.to_owned()));
    let chosen = |ids: [i64; 2]| Some(WebhookIds::new(ids.map(WebhookId)).unwrap());
    let plain: webhook_model::TraceContext = {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
        webhook_model::TraceContext::from_headers(parent, None).expect("a traceparent")
    };
    parts! { base, occurrence;
        id: [Some("id-1".parse().unwrap()), Some("id-2".parse().unwrap())],
        audience: [
            Audience::Tenant(TenantId(7)),
            Audience::Owner(OwnerId(7)),
            Audience::Owner(OwnerId(8)),
            Audience::Operators,
        ],
        event_type: ["hosts".parse().unwrap(), "hosts2".parse().unwrap()],
        event: ["poweroff".parse().unwrap(), "poweroff2".parse().unwrap()],
        object: [object(7, "a \"b\""), object(8, "a \"b\""), object(8, "")],
        tags: [vec![TagId(9), TagId(1)], vec![TagId(1), TagId(9)]],
        variables: [
            pairs([("b", "1"), ("a", "\"\n"), ("b", "2")]).to_vec(),
            pairs([("b", "2"), ("a", "\"\n"), ("b", "1")]).to_vec(),
        ],
        data: [Some(r#"{"z": [null, "é"]}"#.parse().unwrap()), Some("{}".parse().unwrap())],
        to: [chosen([9, 4]), chosen([9, 5])],
        channel: [Some("Project-7".parse().unwrap()), Some("project-7".parse().unwrap())],
        trace: [Some(trace()), Some(plain)],
    }
}
