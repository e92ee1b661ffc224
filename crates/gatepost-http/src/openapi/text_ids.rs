//! The ids of a platform whose users, tenants and objects have UUIDs or other texts.

use serde_json::{Map, Value, json};

/// Properties that are such ids.
const IDS: [&str; 4] = ["cause_object", "cause_user", "tenant", "user"];
/// The end of a reference's pattern if ids are numbers, and if they are texts.
const NUMBER: &str = "/[1-9][0-9]{0,17}$";
const TEXT: &str = "/[!-~]{1,64}$";

/// Declares those properties, parameters and references as texts. References to Gatepost's tables
/// stay row numbers.
pub(super) fn say_they_are_texts(document: &mut Value) {
    match document {
        Value::Array(items) => items.iter_mut().for_each(say_they_are_texts),
        Value::Object(members) => {
            if members.get("in").is_some() && members.get("name").is_some_and(|name| name == "user")
            {
                members.insert("schema".to_owned(), json!({"type": "string"}));
            }
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                change(properties);
            }
            members.values_mut().for_each(say_they_are_texts);
        }
        _ => {}
    }
}

fn change(properties: &mut Map<String, Value>) {
    for (name, schema) in properties {
        let Value::Object(schema) = schema else {
            continue;
        };
        if IDS.contains(&name.as_str()) {
            // "None" is the number 0, or null.
            let mut types = vec!["string"];
            match name.as_str() {
                "cause_object" | "cause_user" => types.push("integer"),
                "tenant" => types.push("null"),
                _ => {}
            }
            for number in ["anyOf", "examples", "format"] {
                schema.remove(number);
            }
            schema.insert("type".to_owned(), json!(types));
        }
        let pattern = schema.get("pattern").and_then(Value::as_str);
        let of_platform = |table: &&str| *table == "^users" || table.starts_with("^[");
        let table = pattern.and_then(|pattern| pattern.strip_suffix(NUMBER));
        if let Some(table) = table.filter(of_platform) {
            let pattern = format!("{table}{TEXT}").into();
            schema.insert("pattern".to_owned(), pattern);
        }
    }
}
