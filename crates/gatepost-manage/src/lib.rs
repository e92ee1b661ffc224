#![doc = include_str!("../README.md")]

mod about;
mod actor;
mod audit;
mod audit_log;
mod cancelling;
mod changes;
mod counts;
mod deliveries;
mod directory;
mod dropped;
mod error;
mod events;
mod examples;
mod fetching;
mod finish;
mod found;
mod grantable;
mod granting;
mod joins;
mod key_events;
mod keys;
mod leaks;
mod limits;
mod listed;
mod logged;
mod looked_up;
mod management;
mod names;
mod own;
mod replayable;
mod response;
mod sending;
mod signing;
mod subject;
mod subscriptions;
mod system;
mod tables;
mod targets;
mod tasks;
mod turns;
mod unreadable;
mod users;
mod watchable;
mod webhooks;

// The public interface is:

pub use about::About;
pub use actor::Actor;
pub use audit::{Audit, Audited, NoAudit, Operation};
pub use audit_log::{AuditLog, AuditLogBuilder, Deletion, Deletions};
pub use changes::{Changes, FieldChange};
pub use counts::Failing;
pub use directory::{Choice, Directory, NoDirectory};
pub use error::ManageError;
// The certificate of a webhook:
pub use delivery::ClientCertificate;
// Types in its signatures, so that users of this crate need neither service:
pub use found::{DeliveryMatch, FoundDeliveries};
pub use gatepost_engine::{
    Example, FetchedMessage, FetchedPage, Health, MAX_FETCHED, MAX_TOGETHER, TargetVerdict,
    TriggerInput, WaitReason,
};
pub use gatepost_keys::{AccessLevel, OnLeak, Principal, Via, Visit};
pub use key_events::KeyEvents;
pub use leaks::LeakedKey;
pub use limits::Limit;
pub use listed::Listed;
pub use logged::LoggedChange;
pub use management::{Management, ManagementBuilder};
pub use replayable::{ReplayCount, Replayable};
pub use turns::{Turn, Turns};
pub use users::User;
