#![doc = include_str!("../README.md")]

mod data;
mod error;
mod event;
mod filter;
mod json_text;
mod secret;
mod size;
mod task;
mod template;
mod text;
mod trace;
mod webhook;

// The public interface is:

pub use data::{Data, MAX_DATA};
pub use error::{Field, Invalid};
pub use event::{
    Catalog, CatalogBuilder, CatalogError, Channel, Channels, Event, EventName, EventNotes,
    EventType, JsonObject, MAX_CHANNELS, MAX_CHOSEN, Object, Occurrence, OccurrenceId,
    SampleVariable, Specificity, Target, WebhookIds,
};
pub use filter::{Filter, MAX_FILTER};
pub use gatepost_ids::{
    Audience, EventId, ObjectId, OwnerId, TagId, TaskId, WebhookId, hidden_character, mark_hidden,
    trim_pasted,
};
pub use json_text::{compact_json, parse_json};
pub use secret::Secret;
pub use task::{Action, MAX_MESSAGE, Message, Task};
pub use template::{
    EVENT, MAX_RENDERED, RenderError, RunVariables, TYPE, Template, Values, Zone, format_date,
};
pub use text::{Description, EventLabel, TaskName, WebhookName};
pub use trace::{InvalidTrace, MAX_TRACE_STATE, TraceContext, TraceParent, TraceState};
pub use webhook::{
    AccessToken, Activity, Authorization, AuthorizationKind, ClientAuthentication, ClientIdentity,
    DeliveryMode, DeliveryOrder, Header, Headers, MAX_HEADERS, MAX_RETRY_DELAYS, OAuth2, RateLimit,
    RequestHeader, ResubmittedSecrets, Retries, RetrySchedule, SigningSecret, SigningSecrets,
    TargetUrl, Timeout, TokenRequest, Webhook, token_error,
};
