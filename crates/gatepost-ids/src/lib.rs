#![doc = include_str!("../README.md")]

mod setters;

mod accounts;
mod hidden;
mod ids;
mod pasted;
mod place;
mod quotas;

// The public interface is:

pub use accounts::{AccessLevel, Account, AccountAnswer, Accounts, AccountsError};
pub use hidden::{hidden_character, mark_hidden};
pub use ids::{EventId, KeyId, ObjectId, OwnerId, TagId, TaskId, TenantId, WebhookId};
pub use pasted::trim_pasted;
pub use place::{Audience, Place};
pub use quotas::{Quota, Quotas};
