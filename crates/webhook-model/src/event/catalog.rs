//! The event types and events of a platform, and the targets that they require.

use std::collections::BTreeMap;

use super::identifiers::{EventName, EventType};
use super::notes::EventNotes;
use super::record::{Event, Target};
use crate::error::{Field, Invalid};

/// The target that an event of a type requires (SPEC 2.4).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Specificity {
    /// One object or one tag.
    InstanceOrTag,
    /// No target: the type has no objects to choose from.
    Generic,
    /// One object, one tag, or no target for all of them.
    InstanceOptional,
}

#[derive(Clone, Debug)]
struct TypeEntry {
    label: String,
    specificity: Specificity,
    events: Vec<EventEntry>,
}

#[derive(Clone, Debug)]
struct EventEntry {
    name: EventName,
    label: String,
    notes: Option<EventNotes>,
    user_caused: bool,
}

/// The event types and events of a platform.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    types: BTreeMap<EventType, TypeEntry>,
}

/// The error for an event that the catalog does not allow.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The type does not exist.
    #[error("table: is not a known event type")]
    UnknownType,
    /// The type has no such event.
    #[error("event: is not an event of this type")]
    UnknownEvent,
    /// The type requires an object or a tag.
    #[error("owner: an object or a tag is required for this event type")]
    TargetRequired,
    /// The type allows neither object nor tag.
    #[error("owner: this event type takes neither an object nor a tag")]
    TargetForbidden,
}

impl CatalogError {
    /// Returns the field and the rule.
    #[must_use]
    pub fn as_invalid(self) -> Invalid {
        match self {
            Self::UnknownType => Invalid::new(Field::Type, "is not a known event type"),
            Self::UnknownEvent => Invalid::new(Field::Event, "is not an event of this type"),
            Self::TargetRequired => Invalid::new(
                Field::Owner,
                "an object or a tag is required for this event type",
            ),
            Self::TargetForbidden => Invalid::new(
                Field::Owner,
                "this event type takes neither an object nor a tag",
            ),
        }
    }
}

impl Catalog {
    /// Starts an empty catalog.
    #[must_use]
    pub fn builder() -> CatalogBuilder {
        CatalogBuilder::default()
    }

    /// Continues with the types of this catalog.
    #[must_use]
    pub fn into_builder(self) -> CatalogBuilder {
        CatalogBuilder { catalog: self }
    }

    /// Checks type, event and target of an event.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self, event: &Event) -> Result<(), CatalogError> {
        let entry = self
            .types
            .get(&event.event_type)
            .ok_or(CatalogError::UnknownType)?;
        if !entry.events.iter().any(|entry| entry.name == event.event) {
            return Err(CatalogError::UnknownEvent);
        }
        match (entry.specificity, event.target) {
            (Specificity::InstanceOrTag, Target::Generic) => Err(CatalogError::TargetRequired),
            (Specificity::Generic, Target::Instance(_) | Target::Tag(_)) => {
                Err(CatalogError::TargetForbidden)
            }
            _ => Ok(()),
        }
    }

    /// Returns the types with their labels and rules, in order of their identifiers.
    pub fn types(&self) -> impl Iterator<Item = (&EventType, &str, Specificity)> {
        self.types
            .iter()
            .map(|(name, entry)| (name, entry.label.as_str(), entry.specificity))
    }

    /// Returns the events of a type with their labels, in the order in which they were added.
    pub fn events(&self, of: &EventType) -> impl Iterator<Item = (&EventName, &str)> {
        self.types.get(of).into_iter().flat_map(|entry| {
            entry
                .events
                .iter()
                .map(|entry| (&entry.name, entry.label.as_str()))
        })
    }

    /// Returns the label of an event.
    #[must_use]
    pub fn event_label(&self, of: &EventType, event: &EventName) -> Option<&str> {
        self.events(of)
            .find(|(name, _)| *name == event)
            .map(|(_, label)| label)
    }

    /// Returns the platform's notes on an event; `None` if there are none.
    #[must_use]
    pub fn notes(&self, of: &EventType, event: &EventName) -> Option<&EventNotes> {
        self.entry(of, event)?.notes.as_ref()
    }

    /// Returns whether users cause this event: see [`CatalogBuilder::user_caused`].
    #[must_use]
    pub fn is_user_caused(&self, of: &EventType, event: &EventName) -> bool {
        self.entry(of, event).is_some_and(|entry| entry.user_caused)
    }

    fn entry(&self, of: &EventType, event: &EventName) -> Option<&EventEntry> {
        let mut events = self.types.get(of)?.events.iter();
        events.find(|entry| entry.name == *event)
    }
}

/// A builder for a [`Catalog`].
///
/// ```
/// use webhook_model::{Catalog, Specificity};
/// let catalog = Catalog::builder()
///     .event_type("vms", "Virtual Machines", Specificity::InstanceOrTag, &[("poweron", "Powered on"), ("poweroff", "Powered off")])?
///     .event_type("alarms", "Alarms", Specificity::Generic, &[("raised", "Raised")])?
///     .build();
/// assert_eq!(catalog.types().count(), 2);
/// # Ok::<(), webhook_model::Invalid>(())
/// ```
#[derive(Debug, Default)]
pub struct CatalogBuilder {
    catalog: Catalog,
}

impl CatalogBuilder {
    /// Adds a type with its events, each an identifier and a label. Adding a type again replaces
    /// it.
    ///
    /// # Errors
    /// Invalid identifiers.
    pub fn event_type(
        mut self,
        name: &str,
        label: &str,
        specificity: Specificity,
        events: &[(&str, &str)],
    ) -> Result<Self, Invalid> {
        let events = events
            .iter()
            .map(|(name, label)| {
                Ok(EventEntry {
                    name: name.parse()?,
                    label: (*label).to_owned(),
                    notes: None,
                    user_caused: false,
                })
            })
            .collect::<Result<_, Invalid>>()?;
        self.catalog.types.insert(
            name.parse()?,
            TypeEntry {
                label: label.to_owned(),
                specificity,
                events,
            },
        );
        Ok(self)
    }

    /// Adds notes on an event, for authors of messages.
    ///
    /// # Errors
    /// A type or an event that was not added.
    pub fn notes(mut self, of: &str, event: &str, notes: EventNotes) -> Result<Self, Invalid> {
        self.entry(of, event)?.notes = Some(notes);
        Ok(self)
    }

    /// Marks an event that a user can cause without limit, such as a login. An occurrence whose
    /// audience is one user belongs to that user: the runs of the user's own tasks count against
    /// the user's runs per minute, and further ones are rejected. Tasks of others run as usual.
    ///
    /// # Errors
    /// A type or an event that was not added.
    pub fn user_caused(mut self, of: &str, event: &str) -> Result<Self, Invalid> {
        self.entry(of, event)?.user_caused = true;
        Ok(self)
    }

    fn entry(&mut self, of: &str, event: &str) -> Result<&mut EventEntry, Invalid> {
        let entry = self.catalog.types.get_mut(&of.parse::<EventType>()?);
        let entry = entry.ok_or(CatalogError::UnknownType.as_invalid())?;
        let name: EventName = event.parse()?;
        let found = entry.events.iter_mut().find(|entry| entry.name == name);
        found.ok_or(CatalogError::UnknownEvent.as_invalid())
    }

    /// Builds the catalog.
    #[must_use]
    pub fn build(self) -> Catalog {
        self.catalog
    }
}
