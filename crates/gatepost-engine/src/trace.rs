//! Traces: an occurrence belongs to one, and each attempt of its deliveries is a span of it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use rand::Rng as _;
use tracing::Span;
use webhook_model::{Occurrence, TraceContext, TraceParent};

use crate::guard::{GuardedSpan, guarded};
use crate::random::Random;

/// Access to the spans of the platform's tracing: the interface to OpenTelemetry, on which this
/// crate does not depend.
///
/// Both methods are called in every emit or attempt, and must not wait. A panic costs only the
/// trace.
pub trait Tracer: fmt::Debug + Send + Sync + 'static {
    /// Returns the position of this span in its trace: the parent of its children. `None`: it is in
    /// no trace.
    fn context(&self, span: &Span) -> Option<TraceContext>;

    /// Makes this span, which has not been entered, a child of one that began in another process or
    /// earlier.
    fn adopt(&self, span: &Span, parent: &TraceContext);
}

/// Whether requests carry trace headers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum TraceHeaders {
    #[default]
    Sent,
    Withheld,
}

#[derive(Debug)]
pub(crate) struct Traces {
    tracer: Option<Arc<dyn Tracer>>,
    headers: TraceHeaders,
    random: Arc<Random>,
}

impl Traces {
    pub(crate) fn new(
        tracer: Option<Arc<dyn Tracer>>,
        headers: TraceHeaders,
        random: Arc<Random>,
    ) -> Self {
        Self {
            tracer,
            headers,
            random,
        }
    }

    /// Returns the occurrence, as a part of the caller's trace if it names none.
    pub(crate) fn joined<'a>(&self, occurrence: Cow<'a, Occurrence>) -> Cow<'a, Occurrence> {
        match (&occurrence.trace, &self.tracer) {
            (None, Some(tracer)) => {
                let current = guarded(|| tracer.context(&Span::current())).flatten();
                match current {
                    Some(trace) => Cow::Owned(occurrence.into_owned().traced(trace)),
                    None => occurrence,
                }
            }
            _ => occurrence,
        }
    }

    /// Begins an attempt's span as a child of the delivery's cause, and returns the trace headers
    /// of the request. If the tracer does not answer, or not for this trace, the trace still
    /// continues: the attempt then gets a random span id.
    pub(crate) fn begin(
        &self,
        span: &GuardedSpan,
        parent: Option<TraceContext>,
    ) -> Option<TraceContext> {
        let of_parent = |own: &TraceContext| {
            let trace = |context: &TraceContext| context.parent.trace_id();
            parent.as_ref().is_none_or(|p| trace(p) == trace(own))
        };
        let own = self.tracer.as_ref().and_then(|tracer| {
            let begun = span.with(|span| {
                span.record("otel.kind", "client");
                if let Some(parent) = &parent {
                    tracer.adopt(span, parent);
                }
                tracer.context(span)
            });
            begun.flatten().filter(of_parent)
        });
        let own = own.or_else(|| self.child(parent?))?;
        note(span, own.parent);
        (self.headers == TraceHeaders::Sent).then_some(own)
    }

    fn child(&self, parent: TraceContext) -> Option<TraceContext> {
        let span = self.random.with(|random| random.next_u64()).max(1);
        let own = parent.parent.with_span(span)?;
        Some(TraceContext::from(own).with_state(parent.state))
    }
}

/// For a platform that has no tracer.
#[cfg(test)]
impl Default for Traces {
    fn default() -> Self {
        Self::new(None, TraceHeaders::Sent, Arc::new(Random::seeded(7)))
    }
}

/// Records the trace in the span, so that its log lines can be found by it.
fn note(span: &GuardedSpan, own: TraceParent) {
    span.with(|span| {
        let (trace, id) = (own.trace_id(), own.span_id());
        span.record("trace_id", format_args!("{trace:032x}"));
        span.record("span_id", format_args!("{id:016x}"));
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use webhook_model::Audience;

    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 a=1";
    const OWN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00000000000000aa-01 a=1,b=2";
    const OTHER: &str = "00-00000000000000000000000000000001-00000000000000bb-01";

    /// Returns this context for each span, and records the contexts to adopt.
    #[derive(Debug)]
    struct Scripted(Option<&'static str>, Mutex<Vec<String>>);

    impl Tracer for Scripted {
        fn context(&self, _: &Span) -> Option<TraceContext> {
            Some(
                self.0
                    .expect("a panic of the platform's tracer")
                    .parse()
                    .unwrap(),
            )
        }

        fn adopt(&self, _: &Span, parent: &TraceContext) {
            self.1.lock().unwrap().push(parent.to_string());
        }
    }

    fn traces(context: Option<&'static str>, headers: TraceHeaders) -> (Traces, Arc<Scripted>) {
        let tracer = Arc::new(Scripted(context, Mutex::default()));
        let random = Arc::new(Random::seeded(7));
        (Traces::new(Some(tracer.clone()), headers, random), tracer)
    }

    fn begin(traces: &Traces, parent: Option<&str>) -> Option<TraceContext> {
        let span = GuardedSpan::new(|| tracing::info_span!("test", trace_id = "", span_id = ""));
        traces.begin(&span, parent.map(|parent| parent.parse().unwrap()))
    }

    fn occurrence() -> Occurrence {
        let (area, event) = ("vms".parse().unwrap(), "poweron".parse().unwrap());
        Occurrence::new(area, event, Audience::OneSystem)
    }

    #[test]
    fn attempt_is_a_child_span_of_its_cause() {
        let traces = Traces::default();
        let parent: TraceContext = PARENT.parse().unwrap();
        let [first, again] = [(); 2].map(|()| begin(&traces, Some(PARENT)).unwrap());
        for own in [&first, &again] {
            assert_eq!(own.parent.trace_id(), parent.parent.trace_id());
            assert_ne!(own.parent.span_id(), parent.parent.span_id());
            assert_eq!(own.state, parent.state);
        }
        assert_ne!(first, again, "a retry is another span");
        assert_eq!(begin(&traces, None), None);
    }

    #[test]
    fn tracer_receives_the_parent_and_provides_the_span() {
        let (traces, tracer) = traces(Some(OWN), TraceHeaders::Sent);
        assert_eq!(begin(&traces, Some(PARENT)), Some(OWN.parse().unwrap()));
        assert_eq!(*tracer.1.lock().unwrap(), [PARENT]);
        assert_eq!(begin(&traces, None), Some(OWN.parse().unwrap()));
    }

    #[test]
    fn foreign_or_panicking_tracer_keeps_the_trace_intact() {
        for context in [Some(OTHER), None] {
            let (traces, _) = traces(context, TraceHeaders::Sent);
            let parent: TraceContext = PARENT.parse().unwrap();
            let own = begin(&traces, Some(PARENT)).unwrap();
            assert_eq!(own.parent.trace_id(), parent.parent.trace_id());
        }
    }

    #[test]
    fn nothing_is_sent_where_the_platform_withholds_traces() {
        let (traces, tracer) = traces(Some(OWN), TraceHeaders::Withheld);
        assert_eq!(begin(&traces, Some(PARENT)), None);
        assert_eq!(*tracer.1.lock().unwrap(), [PARENT], "the platform has it");
    }

    #[test]
    fn occurrence_joins_callers_trace_unless_it_names_one() {
        let joined = |traces: &Traces, occurrence: &Occurrence| {
            let joined = traces.joined(Cow::Borrowed(occurrence)).into_owned();
            joined.trace.map(|trace| trace.to_string())
        };
        let named = occurrence().traced(PARENT.parse::<TraceContext>().unwrap());
        let (with, _) = traces(Some(OWN), TraceHeaders::Withheld);
        assert_eq!(joined(&with, &occurrence()).as_deref(), Some(OWN));
        assert_eq!(joined(&with, &named).as_deref(), Some(PARENT));
        let (panics, _) = traces(None, TraceHeaders::Sent);
        for traces in [panics, Traces::default()] {
            assert_eq!(joined(&traces, &occurrence()), None);
            assert_eq!(joined(&traces, &named).as_deref(), Some(PARENT));
        }
    }
}
