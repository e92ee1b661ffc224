#![doc = include_str!("../README.md")]

mod setters;

mod accounts;
mod hidden;
mod ids;
#[cfg(feature = "serde")]
mod json;
mod object_id;
mod pasted;
mod platform_ids;
mod quotas;
mod rate;
mod realm;

// The public interface is:

pub use accounts::{AccessLevel, Account, AccountAnswer, Accounts, AccountsError};
pub use hidden::{hidden_character, mark_hidden};
pub use ids::{EventId, KeyId, TagId, TaskId, WebhookId};
pub use object_id::{InvalidObjectId, ObjectId};
pub use pasted::trim_pasted;
pub use platform_ids::{InvalidId, OwnerId, TenantId};
pub use quotas::{Quota, Quotas};
pub use rate::MinuteRate;
pub use realm::{Audience, Realm};
