//! The OpenAPI document as generators of clients read it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tests::world::World;

/// The methods that may be operations of a path.
const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

async fn document() -> Value {
    let world = World::start().await;
    world.get("openapi.json").await.json()
}

/// Returns every operation, by its method and path; a request of the platform is named by its
/// event.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let paths = paths.chain(document["webhooks"].as_object().unwrap());
    let all = paths.flat_map(|(path, item)| {
        let of = METHODS.iter().filter_map(move |method| {
            let operation = item.get(method)?;
            Some((format!("{method} {path}"), operation))
        });
        of.collect::<Vec<_>>()
    });
    all.collect()
}

#[tokio::test]
async fn operations_have_unique_names_declared_tags_and_texts() {
    let document = document().await;
    let tags = document["tags"].as_array().unwrap().iter();
    let tags: BTreeSet<_> = tags.map(|tag| tag["name"].as_str().unwrap()).collect();
    let (mut names, mut used) = (BTreeMap::new(), BTreeSet::new());
    let operations = operations(&document);
    assert!(operations.len() > 40, "{}", operations.len());
    for (at, operation) in operations {
        let name = operation["operationId"].as_str().unwrap();
        let word = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(!name.is_empty() && name.chars().all(word), "{at}: {name}");
        assert_eq!(names.insert(name, at.clone()), None, "{at}: {name}");
        let of = operation["tags"].as_array().unwrap();
        assert_eq!(of.len(), 1, "{at}");
        let tag = of[0].as_str().unwrap();
        assert!(tags.contains(tag), "{at}: {tag}");
        used.insert(tag);
        let summary = operation["summary"].as_str().unwrap();
        let fits = (5..=70).contains(&summary.len()) && !summary.ends_with('.');
        assert!(fits, "{at}: {summary}");
        let description = operation["description"].as_str().unwrap();
        assert!(description.ends_with('.'), "{at}: {description}");
    }
    assert_eq!(used, tags, "tags without an operation");
}

/// Collects the integers that a generator takes for 32 bits and that may be larger.
fn too_small(at: &str, value: &Value, found: &mut Vec<String>) {
    let types = value["type"].as_array();
    let is_integer = value["type"] == "integer"
        || types.is_some_and(|types| types.iter().any(|of| of == "integer"));
    let is_bounded = value["maximum"]
        .as_i64()
        .is_some_and(|most| i32::try_from(most).is_ok());
    if is_integer && !is_bounded && value["format"] != "int64" {
        found.push(at.to_owned());
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                too_small(&format!("{at}/{name}"), member, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                too_small(at, item, found);
            }
        }
        _ => {}
    }
}

/// Go and Java use 32 bits for an integer without a format: row numbers do not fit, nor does a time
/// after 2038.
#[tokio::test]
async fn integers_beyond_32_bits_declare_their_format() {
    let mut found = Vec::new();
    too_small("", &document().await, &mut found);
    assert_eq!(found, [""; 0]);
}

/// Returns the name that generators make: letters and digits of any case.
fn as_a_name(member: &str) -> String {
    let kept = member.chars().filter(char::is_ascii_alphanumeric);
    kept.collect::<String>().to_ascii_lowercase()
}

/// Collects the members of this object, and of all within, that become one name in a generated
/// client.
fn clashes(at: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                let mut names = BTreeMap::new();
                for member in properties.keys() {
                    if let Some(other) = names.insert(as_a_name(member), member) {
                        found.push(format!("{at}: {other} and {member}"));
                    }
                }
            }
            for (name, within) in members {
                clashes(&format!("{at}/{name}"), within, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|within| clashes(at, within, found)),
        _ => {}
    }
}

#[tokio::test]
async fn member_names_stay_distinct_in_generated_clients() {
    let document = document().await;
    let mut found = Vec::new();
    clashes("", &document, &mut found);
    assert_eq!(found, Vec::<String>::new());
    for (at, operation) in operations(&document) {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let mut names = BTreeSet::new();
        for parameter in parameters {
            let name = as_a_name(parameter["name"].as_str().unwrap());
            assert!(names.insert(name), "{at}: {parameter}");
        }
    }
    let schemas: Vec<_> = document["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    let names: BTreeSet<_> = schemas.iter().map(|name| as_a_name(name)).collect();
    assert_eq!(names.len(), schemas.len(), "{schemas:?}");
}

#[tokio::test]
async fn only_key_returning_operations_declare_key_receipt() {
    let document = document().await;
    let receipt = "#/components/schemas/KeyReceipt";
    let shown = |operation: &Value| operation["responses"].to_string().contains(receipt);
    let all = operations(&document);
    let mut showing: Vec<_> = all
        .iter()
        .filter(|(_, operation)| shown(operation))
        .collect();
    showing.sort_by_key(|(at, _)| at);
    let showing: Vec<_> = showing.iter().map(|(at, _)| at.as_str()).collect();
    let expected = [
        "post /user_api_keys",
        "post /user_api_keys/{key}/roll",
        "put /user_api_keys/{key}",
    ];
    assert_eq!(showing, expected);
    let key = &document["components"]["schemas"]["KeyReceipt"];
    let required = key["required"].as_array().unwrap();
    assert!(required.contains(&"key".into()), "{key}");
    assert_eq!(key["properties"]["key"]["type"], "string");
}

/// The members besides `params` in the body of the other spellings of an action equal those of its
/// path.
#[tokio::test]
async fn action_spellings_declare_the_same_parameters() {
    let document = document().await;
    let body = |of: &Value| of["requestBody"]["content"]["application/json"]["schema"].clone();
    let mut seen = BTreeSet::new();
    for (at, operation) in operations(&document) {
        let path = at.strip_prefix("post ").unwrap_or_default();
        let Some((row, action)) = path.rsplit_once("/{key}/") else {
            continue;
        };
        let own = body(operation);
        let put = body(&document["paths"][format!("{row}/{{key}}")]["put"]);
        let put = put["anyOf"].get(1).cloned().unwrap_or(put);
        for (name, of) in own["properties"].as_object().unwrap() {
            assert_eq!(
                put["properties"][name]["type"], of["type"],
                "{path}: {name}"
            );
            seen.insert(name.clone());
        }
        if own["additionalProperties"] == true {
            assert_eq!(put["additionalProperties"], true, "{path}");
            seen.insert(format!("any of {action}"));
        }
    }
    assert!(
        seen.contains("context") && seen.contains("any of execute"),
        "{seen:?}"
    );
}
