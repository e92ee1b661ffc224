//! Fills messages in: those of tasks, those sent manually, and examples for the form in which a
//! message is written.

use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::MessageId;
use webhook_model::{Data, EVENT, Message, Occurrence, RenderError, TYPE, Template, Values, Zone};

use crate::error::EmitError;
use crate::random::Random;

/// The variable for the name of an object.
pub(crate) const NAME: &str = "NAME";

/// A message with its variables filled in, as an example.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Example {
    /// The text that would be sent at present.
    pub text: String,
    /// Whether it is JSON, so that values are escaped.
    pub is_json: bool,
    /// Unknown variables, each once: they stay in the text as they are.
    pub unknown: Vec<String>,
}

/// Values that are the same for every message of a platform.
#[derive(Debug)]
pub(crate) struct Renderer {
    /// The time zone of `${DATE}`.
    zone: Arc<dyn Zone>,
    /// The platform's own variables.
    variables: Vec<(String, String)>,
    random: Arc<Random>,
}

/// The values for one or more messages at one moment.
#[derive(Debug)]
pub(crate) struct Rendering<'a> {
    renderer: &'a Renderer,
    now: DateTime<Utc>,
    /// Made for the first message that uses it.
    date: OnceLock<String>,
    /// The type and the event; empty for a message that is sent manually.
    words: (&'a str, &'a str),
    name: &'a str,
    extra: Vec<(&'a str, &'a str)>,
    data: Option<&'a Data>,
}

impl Renderer {
    pub(crate) fn new(
        zone: Arc<dyn Zone>,
        variables: Vec<(String, String)>,
        random: Arc<Random>,
    ) -> Self {
        Self {
            zone,
            variables,
            random,
        }
    }

    /// Returns the values for the tasks of an occurrence. Its own variables take precedence; if it
    /// has no object, one of them may set `${NAME}`.
    pub(crate) fn occurrence<'a>(
        &'a self,
        occurrence: &'a Occurrence,
        now: DateTime<Utc>,
    ) -> Rendering<'a> {
        let object = occurrence.object.as_ref();
        let own = pairs(&occurrence.variables);
        let named = own.clone().find(|(name, _)| *name == NAME);
        let named = named.map_or("", |(_, value)| value);
        Rendering {
            renderer: self,
            now,
            date: OnceLock::new(),
            words: (occurrence.event_type.as_str(), occurrence.event.as_str()),
            name: object.map_or(named, |object| &object.name),
            extra: own.chain(self.variables()).collect(),
            data: occurrence.data.as_ref(),
        }
    }

    /// Fills in a message that is sent manually, as about an object of this name; without one, the
    /// default payload.
    pub(crate) fn by_hand(
        &self,
        message: Option<&Message>,
        name: &str,
        now: DateTime<Utc>,
    ) -> Result<Arc<str>, EmitError> {
        let template =
            message.map_or_else(|| Template::parse(&Message::default()), Template::parse);
        let rendering = Rendering {
            renderer: self,
            now,
            date: OnceLock::new(),
            words: ("", ""),
            name,
            extra: self.variables().collect(),
            data: None,
        };
        let body = rendering.render(&template, None);
        body.map(Into::into).map_err(EmitError::Message)
    }

    pub(crate) fn message_id(&self, now: DateTime<Utc>) -> MessageId {
        self.random.message_id(now)
    }

    pub(crate) fn test_id(&self, now: DateTime<Utc>) -> MessageId {
        self.random.test_id(now)
    }

    /// Returns the variables that the platform added, with their values.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(&self.variables)
    }
}

fn pairs(variables: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> + Clone {
    let variables = variables.iter();
    variables.map(|(name, value)| (name.as_str(), value.as_str()))
}

impl Rendering<'_> {
    /// Returns a message as it would be sent.
    pub(crate) fn example(
        &self,
        message: &Message,
        context: Option<&Data>,
    ) -> Result<Example, EmitError> {
        let template = Template::parse(message);
        let extra = self.extra.iter().map(|(name, _)| *name);
        let known: Vec<&str> = extra.chain([TYPE, EVENT]).collect();
        let unknown = template.unknown_variables(&known);
        Ok(Example {
            text: self
                .render(&template, context)
                .map_err(EmitError::Message)?,
            is_json: template.is_json(),
            unknown: unknown.into_iter().map(str::to_owned).collect(),
        })
    }

    pub(crate) fn render(
        &self,
        template: &Template,
        context: Option<&Data>,
    ) -> Result<String, RenderError> {
        let Renderer { zone, random, .. } = self.renderer;
        let date = || self.date.get_or_init(|| zone.date(self.now));
        let values = Values::new(
            if template.asks_for_date() { date() } else { "" },
            self.now.timestamp(),
            self.name,
        )
        .with_event(self.words.0, self.words.1)
        .with_extra(&self.extra)
        .with_data(self.data)
        .with_context(context);
        template.render(&values, || random.with(rand::Rng::next_u32))
    }
}

#[cfg(test)]
mod tests {
    use webhook_model::{Object, ObjectId, format_date};

    use super::*;
    use crate::testing::{noon, poweron};

    fn renderer() -> Renderer {
        let variables = [("SITE", "north"), ("LEVEL", "low")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let random = Arc::new(Random::seeded(7));
        Renderer::new(
            Arc::new(chrono_tz::Europe::Berlin),
            variables.to_vec(),
            random,
        )
    }

    #[test]
    fn example_renders_platform_variables_and_lists_unknown_ones() {
        let message = r#"{"at":"${SITE}","vm":"${NAME}","who":"${USER}","again":"${USER}"}"#;
        let object = Object::new(ObjectId::from(1), r#"a"b"#);
        let renderer = renderer();
        let occurrence = poweron(1, &[]).with_object(object);
        let rendering = renderer.occurrence(&occurrence, noon());
        let example = rendering.example(&message.parse().unwrap(), None).unwrap();
        assert_eq!(
            example.text,
            r#"{"at":"north","vm":"a\"b","who":"${USER}","again":"${USER}"}"#
        );
        assert!(example.is_json);
        assert_eq!(example.unknown, ["USER"]);
    }

    #[test]
    fn message_can_name_type_and_event() {
        let renderer = renderer();
        let message: Message = r#"{"on":"${TYPE}.${EVENT}","event":${EVENT}}"#.parse().unwrap();
        let template = Template::parse(&message);
        let occurrence = poweron(1, &[]);
        let rendering = renderer.occurrence(&occurrence, noon());
        let text = rendering.render(&template, None).unwrap();
        assert_eq!(text, r#"{"on":"vms.poweron","event":"poweron"}"#);
        let example = rendering.example(&message, None).unwrap();
        assert!(example.unknown.is_empty(), "{:?}", example.unknown);
        // The platform's variable of that name takes precedence.
        let own = vec![("EVENT".to_owned(), "switched on".to_owned())];
        let occurrence = occurrence.with_variables(own);
        let rendering = renderer.occurrence(&occurrence, noon());
        let text = rendering.render(&template, None).unwrap();
        assert_eq!(text, r#"{"on":"vms.switched on","event":"switched on"}"#);
        // A message sent manually is about no event, and stays JSON.
        let by_hand = renderer.by_hand(Some(&message), "", noon()).unwrap();
        assert_eq!(by_hand.as_ref(), r#"{"on":".","event":""}"#);
    }

    #[test]
    fn occurrence_variables_take_precedence_except_in_manual_messages() {
        let renderer = renderer();
        let occurrence =
            poweron(1, &[]).with_variables(vec![("LEVEL".to_owned(), "high".to_owned())]);
        let message: Message = "${NAME} ${SITE} ${LEVEL} ${DATE}".parse().unwrap();
        let rendering = renderer.occurrence(&occurrence, noon());
        let text = rendering.render(&Template::parse(&message), None).unwrap();
        let date = format_date(noon(), &chrono_tz::Europe::Berlin);
        assert_eq!(text, format!("vm 1 north high {date}"));
        let named = vec![("NAME".to_owned(), "production".to_owned())];
        let mut nameless = occurrence.with_variables(named);
        nameless.object = None;
        let rendering = renderer.occurrence(&nameless, noon());
        let text = rendering.render(&Template::parse(&message), None).unwrap();
        assert_eq!(text, format!("production north low {date}"));
        let by_hand = renderer.by_hand(Some(&message), "", noon()).unwrap();
        assert_eq!(by_hand.as_ref(), format!(" north low {date}"));
        let named = renderer.by_hand(Some(&message), "web-1", noon()).unwrap();
        assert_eq!(named.as_ref(), format!("web-1 north low {date}"));
        let too_large = "${DATE}".repeat(149_000).parse().unwrap();
        let refused = renderer.by_hand(Some(&too_large), "", noon()).unwrap_err();
        assert!(matches!(refused, EmitError::Message(_)), "{refused:?}");
    }
}
