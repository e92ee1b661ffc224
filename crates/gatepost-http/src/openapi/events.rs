//! The messages that the platform sends: a webhook of the document for each event of the catalog.

use serde_json::{Map, Value, json};
use webhook_model::{Catalog, EventNotes};

use super::operation::Operation;

/// The tag of these webhooks.
pub(super) const SENT: &str = "sent";

/// Creates the section `webhooks`, and the schemas of the occurrences' data.
pub(super) fn add(schemas: &mut Map<String, Value>, catalog: &Catalog) -> Map<String, Value> {
    let mut webhooks = Map::new();
    for (of, type_label, _) in catalog.types() {
        for (event, label) in catalog.events(of) {
            let notes = catalog.notes(of, event);
            let name = format!("{of}.{event}");
            let id = format!("sent_{of}_{event}");
            let said = notes.map_or("", EventNotes::description);
            let description = match said {
                "" => "The platform says nothing more of this event.",
                said => said,
            };
            let summary = format!("{type_label}: {label}");
            let mut post = sent(Operation::new(SENT, &id, &summary, description));
            if let Some(schema) = notes.and_then(data) {
                let schema_name = format!("{name}.data");
                post["x-data"] = json!({"$ref": format!("#/components/schemas/{schema_name}")});
                schemas.insert(schema_name, schema);
            }
            webhooks.insert(name, json!({"post": post}));
        }
    }
    webhooks
}

/// Describes a sent message. A task's user writes it, so it has no schema.
fn sent(Operation(mut post): Operation) -> Value {
    post["requestBody"] = json!({
        "description": "The message of the task that the event runs, with its variables filled in. `x-data`, where it is given, is what `${data}` and an event's filter look into.",
        "content": {"application/json": {"schema": {}}},
    });
    post["responses"] = json!({"2XX": {"description": "Received. After any other response, or none, it is sent again, as the webhook says."}});
    post
}

/// Returns the platform's schema with its sample as an example, or a schema derived from the
/// sample.
fn data(notes: &EventNotes) -> Option<Value> {
    let mut schema = match (notes.schema(), notes.data()) {
        (None, None) => return None,
        (Some(schema), _) => schema.as_map().clone(),
        (None, Some(_)) => Map::from_iter([("type".to_owned(), json!("object"))]),
    };
    if let Some(sample) = notes.data() {
        let examples = json!([sample.as_map()]);
        schema.entry("examples").or_insert(examples);
    }
    Some(schema.into())
}

#[cfg(test)]
mod tests {
    use webhook_model::Specificity;

    use super::*;

    #[test]
    fn openapi_event_webhook_has_data_schema_and_sample() {
        let (told, silent) = (("full", "Disk full"), ("gone", "Disk gone"));
        let notes = EventNotes::new("A disk has no room left.")
            .with_data(r#"{"free": 7}"#.parse().unwrap())
            .with_schema(r#"{"type": "object", "required": ["free"]}"#.parse().unwrap());
        let catalog = Catalog::builder()
            .event_type("disks", "Disks", Specificity::Generic, &[told, silent])
            .and_then(|catalog| catalog.notes("disks", "full", notes))
            .unwrap()
            .build();
        let mut schemas = Map::new();
        let webhooks = Value::from(add(&mut schemas, &catalog));
        let full = &webhooks["disks.full"]["post"];
        assert_eq!(full["summary"], "Disks: Disk full");
        assert_eq!(full["operationId"], "sent_disks_full");
        assert_eq!(full["description"], "A disk has no room left.");
        assert_eq!(
            full["x-data"]["$ref"],
            "#/components/schemas/disks.full.data"
        );
        let expected = json!({"type": "object", "required": ["free"], "examples": [{"free": 7}]});
        assert_eq!(schemas["disks.full.data"], expected);
        assert_eq!(webhooks["disks.gone"]["post"]["x-data"], Value::Null);
        assert_eq!((schemas.len(), webhooks.as_object().unwrap().len()), (1, 2));
    }
}
