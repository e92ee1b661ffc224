//! The platform's notes on an event, for authors of messages.

use super::json::JsonObject;
use crate::data::Data;
use crate::error::{Field, Invalid};
use crate::template::Template;

/// The built-in variables of every message (SPEC 2.3): an event's variable must not have one of
/// these names.
const BUILT_IN: [&str; 4] = ["DATE", "TIMESTAMP", "RANDOM", "NAME"];

/// A description of an event, with samples of the content of its occurrences: for catalogues,
/// previews and tests. It affects no matching, and nothing is validated against it.
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

/// A variable of an event's occurrences ([`Occurrence::variables`](crate::Occurrence::variables)).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SampleVariable {
    name: String,
    description: String,
    sample: String,
}

impl EventNotes {
    /// Creates notes with a description of the event in a sentence, without samples.
    #[must_use]
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            ..Self::default()
        }
    }

    /// Sets the name of a sample object, a value of `${NAME}`.
    #[must_use]
    pub fn with_object(mut self, name: impl Into<String>) -> Self {
        self.object = name.into();
        self
    }

    /// Adds a variable of the occurrences, with its description and a sample value. They are shown
    /// in the order in which they were added.
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

    /// Sets a sample of the occurrences' data.
    #[must_use]
    pub fn with_data(mut self, sample: Data) -> Self {
        self.data = Some(sample);
        self
    }

    /// Sets a JSON Schema (2020-12) of the occurrences' data, for the OpenAPI document and the
    /// catalogue. Nothing is validated against it. It becomes part of that document, so references
    /// in it must be whole URIs.
    #[must_use]
    pub fn with_schema(mut self, schema: JsonObject) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Returns the description; empty if there is none.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the name of the sample object; empty if there is none.
    #[must_use]
    pub fn object(&self) -> &str {
        &self.object
    }

    /// Returns the variables of the occurrences.
    pub fn variables(&self) -> impl Iterator<Item = &SampleVariable> {
        self.variables.iter()
    }

    /// Returns the sample of the occurrences' data, if there is one.
    #[must_use]
    pub fn data(&self) -> Option<&Data> {
        self.data.as_ref()
    }

    /// Returns the JSON Schema of these data, if there is one.
    #[must_use]
    pub fn schema(&self) -> Option<&JsonObject> {
        self.schema.as_ref()
    }
}

impl SampleVariable {
    /// Returns its name, without `${` and `}`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its description.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns a sample value.
    #[must_use]
    pub fn sample(&self) -> &str {
        &self.sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_variable_unusable_in_messages_is_refused() {
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
