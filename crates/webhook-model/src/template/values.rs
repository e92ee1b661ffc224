//! The values for a template.

use crate::data::Data;

/// The variable for the event type. A variable with that name in [`extra`](Values::extra) takes
/// precedence.
pub const TYPE: &str = "TYPE";
/// The variable for the event; likewise.
pub const EVENT: &str = "EVENT";

/// The values of the variables for one run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Values<'a> {
    /// `${DATE}`: see [`format_date`](crate::format_date).
    pub date: &'a str,
    /// `${TIMESTAMP}`: epoch seconds.
    pub timestamp: i64,
    /// `${NAME}`: the name of the object; any text.
    pub name: &'a str,
    /// `${TYPE}`: the event type, such as `vms`; empty without one.
    pub event_type: &'a str,
    /// `${EVENT}`: the event, such as `poweron`; empty without one.
    pub event: &'a str,
    /// Further variables, by name. `DATE`, `TIMESTAMP`, `RANDOM` and `NAME` are not looked up in
    /// it.
    pub extra: &'a [(&'a str, &'a str)],
    /// `${data}` and `${data.path}`.
    pub data: Option<&'a Data>,
    /// `${context}` and `${context.path}`: the context that the event has for its task.
    pub context: Option<&'a Data>,
}

impl<'a> Values<'a> {
    /// Creates values with date, time and name, without an event, further variables, data and
    /// context.
    #[must_use]
    pub fn new(date: &'a str, timestamp: i64, name: &'a str) -> Self {
        Self {
            date,
            timestamp,
            name,
            event_type: "",
            event: "",
            extra: &[],
            data: None,
            context: None,
        }
    }

    /// Sets [`event_type`](Self::event_type) and [`event`](Self::event).
    #[must_use]
    pub fn with_event(self, event_type: &'a str, event: &'a str) -> Self {
        Self {
            event_type,
            event,
            ..self
        }
    }

    /// Sets [`extra`](Self::extra).
    #[must_use]
    pub fn with_extra(self, extra: &'a [(&'a str, &'a str)]) -> Self {
        Self { extra, ..self }
    }

    /// Sets [`data`](Self::data).
    #[must_use]
    pub fn with_data(self, data: Option<&'a Data>) -> Self {
        Self { data, ..self }
    }

    /// Sets [`context`](Self::context).
    #[must_use]
    pub fn with_context(self, context: Option<&'a Data>) -> Self {
        Self { context, ..self }
    }
}
