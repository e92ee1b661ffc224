#![doc = include_str!("../README.md")]
#![allow(
    clippy::must_use_candidate,
    reason = "rustc refuses a boxed future that is not awaited"
)]

mod actor;
mod audit;
mod audit_log;
mod authorized_rows;
mod cancellation;
mod changes;
mod completion;
mod counts;
mod deliveries;
mod directory;
mod error;
mod events;
mod fetching;
mod grantable;
mod granting;
mod joins;
mod key_events;
mod keys;
mod leaks;
mod limits;
mod list_limiter;
mod log_access;
mod lookup_scope;
mod management;
mod manual_occurrence;
mod names;
mod previews;
mod rejected;
mod replayable;
mod response;
mod search;
mod sending;
mod signing;
mod subject;
mod subscriptions;
mod system;
mod tables;
mod targets;
mod tasks;
mod unreadable;
mod users;
mod visible_rows;
mod watchable;
mod webhooks;

// The public interface is:

pub use actor::Actor;
pub use audit::{Audit, Audited, NoAudit, Operation};
pub use audit_log::{AuditLog, AuditLogBuilder, Deletion, Deletions};
pub use changes::{Changes, FieldChange};
pub use completion::Answer;
pub use counts::Failing;
pub use directory::{Choice, Directory, NoDirectory};
pub use error::ManageError;
pub use manual_occurrence::About;
// The certificate of a webhook:
pub use delivery::ClientCertificate;
// Types in its signatures, so that users of this crate need neither service:
pub use gatepost_engine::{
    Example, FetchedMessage, FetchedPage, Health, MAX_FETCHED, MAX_TOGETHER, TargetVerdict,
    TriggerInput, WaitReason,
};
pub use gatepost_keys::{AccessLevel, OnLeak, Principal, Via, Visit};
pub use key_events::KeyEvents;
pub use leaks::LeakedKey;
pub use limits::Limit;
pub use list_limiter::{Turn, Turns};
pub use log_access::LoggedChange;
pub use management::{Management, ManagementBuilder};
pub use replayable::{ReplayCount, Replayable};
pub use search::{DeliveryMatch, FoundDeliveries};
pub use users::User;
pub use visible_rows::Listed;
