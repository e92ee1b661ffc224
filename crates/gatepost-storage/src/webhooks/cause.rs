//! The cause of a delivery.

use std::fmt;
use std::str::FromStr;

use gatepost_ids::OwnerId;
use webhook_model::{EventName, EventType, ObjectId, Occurrence, OccurrenceId, TraceContext};

use super::excerpt::DataExcerpt;
use super::invalid_delivery::InvalidDelivery;

/// The placeholder for a missing part.
const NONE: &str = "-";

/// The cause of a delivery: the occurrence that ran its task. As a text it has at most 1,964 bytes,
/// or 370 without a trace and data.
///
/// Backends store the text: type, event, object, user and occurrence id, separated by blanks, with
/// `-` for a missing part: `vms poweron 3 - order-4711`. A trace follows after a blank, data after
/// a line feed; a missing trace or missing data add nothing.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Cause {
    /// The area of the platform.
    pub event_type: EventType,
    /// The event within that area; `execute` of `tasks` for a task that was run manually.
    pub event: EventName,
    /// The object that the occurrence is about.
    pub object: Option<ObjectId>,
    /// The user who ran the task or triggered the event manually.
    pub by: Option<OwnerId>,
    /// The platform's own id of the occurrence.
    pub occurrence: Option<OccurrenceId>,
    /// The trace that its attempts continue, including those of a replay.
    pub trace: Option<TraceContext>,
    /// The beginning of the occurrence's data.
    pub data: Option<DataExcerpt>,
}

impl Cause {
    /// Returns the cause for this occurrence.
    #[must_use]
    pub fn of(occurrence: &Occurrence) -> Self {
        Self {
            event_type: occurrence.event_type.clone(),
            event: occurrence.event.clone(),
            object: occurrence.object.as_ref().map(|object| object.id),
            by: None,
            occurrence: occurrence.id.clone(),
            trace: occurrence.trace.clone(),
            data: occurrence.data.as_ref().map(DataExcerpt::of),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            event_type, event, ..
        } = self;
        write!(f, "{event_type} {event} ")?;
        match self.object {
            Some(object) => write!(f, "{object} ")?,
            None => write!(f, "{NONE} ")?,
        }
        match self.by {
            Some(by) => write!(f, "{by} ")?,
            None => write!(f, "{NONE} ")?,
        }
        match &self.occurrence {
            Some(id) => id.fmt(f)?,
            None => f.write_str(NONE)?,
        }
        if let Some(trace) = &self.trace {
            write!(f, " {trace}")?;
        }
        match &self.data {
            Some(data) => write!(f, "\n{}", data.as_str()),
            None => Ok(()),
        }
    }
}

impl FromStr for Cause {
    type Err = InvalidDelivery;

    fn from_str(text: &str) -> Result<Self, InvalidDelivery> {
        let (head, data) = match text.split_once('\n') {
            Some((head, data)) => (head, Some(data)),
            None => (text, None),
        };
        // A trace may contain blanks.
        let mut parts = head.splitn(6, ' ');
        let mut part = || parts.next().ok_or(InvalidDelivery::Cause);
        let (event_type, event, object, by, id) = (part()?, part()?, part()?, part()?, part()?);
        Ok(Self {
            event_type: event_type.parse().map_err(|_| InvalidDelivery::Cause)?,
            event: event.parse().map_err(|_| InvalidDelivery::Cause)?,
            object: maybe(object)?,
            by: maybe(by)?,
            occurrence: match id {
                NONE => None,
                id => Some(id.parse().map_err(|_| InvalidDelivery::Cause)?),
            },
            trace: match part() {
                Ok(trace) => Some(trace.parse().map_err(|_| InvalidDelivery::Cause)?),
                Err(_) => None,
            },
            data: data
                .map(str::parse)
                .transpose()
                .map_err(|_| InvalidDelivery::Cause)?,
        })
    }
}

fn maybe<T: FromStr>(text: &str) -> Result<Option<T>, InvalidDelivery> {
    match text {
        NONE => Ok(None),
        text => text.parse().map(Some).map_err(|_| InvalidDelivery::Cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest_trace() -> TraceContext {
        let member = |key: &str| format!("{key}={}", "v w".repeat(42));
        let state = ["a", "b", "c"].map(member).join(",") + ",d=" + &"v".repeat(123);
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let trace = TraceContext::from_headers(parent, Some(&state)).unwrap();
        assert_eq!(trace.to_string().len(), 568);
        trace
    }

    #[test]
    fn cause_round_trips_and_stays_short() {
        let long = Cause {
            event_type: "t".repeat(64).parse().unwrap(),
            event: "e".repeat(64).parse().unwrap(),
            object: Some("o".repeat(64).parse().unwrap()),
            by: Some(OwnerId(u128::MAX)),
            occurrence: Some("~".repeat(128).parse().unwrap()),
            trace: Some(longest_trace()),
            data: Some("{…".repeat(256).parse().unwrap()),
        };
        let short = Cause {
            object: None,
            by: None,
            occurrence: None,
            ..long.clone()
        };
        let untraced = Cause {
            trace: None,
            ..long.clone()
        };
        let bare = Cause {
            data: None,
            ..untraced.clone()
        };
        for (cause, most) in [(long, 1964), (short, 1964), (untraced, 1395), (bare, 370)] {
            let text = cause.to_string();
            assert!(text.len() <= most, "{}", text.len());
            assert_eq!(text.parse(), Ok(cause));
        }
        let cause: Cause = "vms poweron 3 - order-4711".parse().unwrap();
        assert_eq!((cause.object, cause.by), (Some(ObjectId::from(3)), None));
    }

    #[test]
    fn other_texts_are_no_causes() {
        for text in [
            "",
            "vms",
            "vms poweron 3 -",
            "vms poweron 3 x -",
            "vms poweron 3 -1 -",
            "vms poweron ö - -",
            &format!("vms poweron {} - -", "o".repeat(65)),
            "vms poweron 3 - a b",
            "vms poweron 3 - - ",
            "vms poweron 3 - - 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
            "VMs poweron - - -",
            "vms poweron - - ä",
            "vms poweron - - -\n",
            "vms poweron - - -\n{}\n",
            "\n{}",
        ] {
            assert_eq!(text.parse::<Cause>(), Err(InvalidDelivery::Cause), "{text}");
        }
    }
}
