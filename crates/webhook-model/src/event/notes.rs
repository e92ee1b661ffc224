//! What a platform says of an event to people who write messages about it.

use super::json::JsonObject;
use crate::data::Data;
use crate::error::{Field, Invalid};
use crate::template::Template;

/// The variables that every message has (SPEC 2.3): an event cannot bring one of these names.
const BUILT_IN: [&str; 4] = ["DATE", "TIMESTAMP", "RANDOM", "NAME"];

/// A description of an event, and a sample of what an occurrence of it brings: for catalogues,
/// previews and tests. Nothing is matched by it, and nothing is checked against it.
///
/// ```
/// use webhook_model::EventNotes;
/// let notes = EventNotes::new("A virtual machine was switched on.")
///     .with_object("web-1")
///     .with_variable("CORES", "The number of its processors", "4")?;
/// assert_eq!(notes.variables().count(), 1);
/// # Ok::<(), webhook_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct EventNotes {
    description: String,
    object: String,
    variables: Vec<SampleVariable>,
    data: Option<Data>,
    schema: Option<JsonObject>,
}

/// A variable that occurrences of an event bring
/// ([`Occurrence::variables`](crate::Occurrence::variables)).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SampleVariable {
    name: String,
    description: String,
    sample: String,
}

impl EventNotes {
    /// A description: when it happens, in a sentence. Without a sample yet.
    #[must_use]
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            ..Self::default()
        }
    }

    /// What `${NAME}` may become: the name of a sample object.
    #[must_use]
    pub fn with_object(mut self, name: impl Into<String>) -> Self {
        self.object = name.into();
        self
    }

    /// Adds a variable that occurrences bring, what it says, and a sample of its value. Shown in
    /// the order in which they were added.
    ///
    /// # Errors
    /// A name that no message can use: one of more than 64 letters, digits and `_`, one that begins
    /// with a digit, or `DATE`, `TIMESTAMP`, `RANDOM`, `NAME` and `data`.
    pub fn with_variable(
        mut self,
        name: &str,
        description: impl Into<String>,
        sample: impl Into<String>,
    ) -> Result<Self, Invalid> {
        let template = Template::parse(&format!("${{{name}}}").parse()?);
        if BUILT_IN.contains(&name) || template.unknown_variables(&[]) != [name] {
            let rule = "must be 1 to 64 letters, digits and _, no digit first, and not built in";
            return Err(Invalid::new(Field::Name, rule));
        }
        self.variables.push(SampleVariable {
            name: name.to_owned(),
            description: description.into(),
            sample: sample.into(),
        });
        Ok(self)
    }

    /// A sample of the data that occurrences bring along.
    #[must_use]
    pub fn with_data(mut self, sample: Data) -> Self {
        self.data = Some(sample);
        self
    }

    /// A JSON Schema (2020-12) of the data that occurrences bring along, for the OpenAPI document
    /// and the catalogue. Nothing is checked against it. It stands within that document: what it
    /// refers to, it refers to by whole URIs.
    #[must_use]
    pub fn with_schema(mut self, schema: JsonObject) -> Self {
        self.schema = Some(schema);
        self
    }

    /// When the event happens; empty if the platform does not say.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The name of a sample object; empty if the platform names none.
    #[must_use]
    pub fn object(&self) -> &str {
        &self.object
    }

    /// The variables that occurrences bring.
    pub fn variables(&self) -> impl Iterator<Item = &SampleVariable> {
        self.variables.iter()
    }

    /// A sample of the data that occurrences bring along; `None` if the platform gives none.
    #[must_use]
    pub fn data(&self) -> Option<&Data> {
        self.data.as_ref()
    }

    /// A JSON Schema of that data; `None` if the platform gives none.
    #[must_use]
    pub fn schema(&self) -> Option<&JsonObject> {
        self.schema.as_ref()
    }
}

impl SampleVariable {
    /// Its name, without `${` and `}`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it says.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// A value that it may have.
    #[must_use]
    pub fn sample(&self) -> &str {
        &self.sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_no_message_can_use_is_refused() {
        let add = |name: &str| EventNotes::new("").with_variable(name, "", "");
        for good in ["CORES", "_a1", &"x".repeat(64)] {
            assert!(add(good).is_ok(), "{good}");
        }
        for wrong in [
            "",
            "1a",
            "a b",
            "a}",
            "NAME",
            "DATE",
            "data",
            "é",
            &"x".repeat(65),
        ] {
            assert!(add(wrong).is_err(), "{wrong}");
        }
    }
}
