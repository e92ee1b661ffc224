#![doc = include_str!("../README.md")]

mod accounts;
mod ids;

// The public interface is:

pub use accounts::{AccessLevel, Account, AccountAnswer, Accounts, AccountsError};
pub use ids::{EventId, KeyId, ObjectId, OwnerId, TagId, TaskId, TenantId, WebhookId};
