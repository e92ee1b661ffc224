//! The key service.

mod admission;
mod authenticate;
mod builder;
mod caller_bounds;
mod changes;
mod expiry_notices;
mod import;
mod key_service;
mod leaks;
mod lookup;
mod manage;
mod notices;
mod notifier;
mod outcomes;
mod owners;
mod pending_uses;
mod read;
mod realm_assignment;
mod refusals;
mod refused_request;
mod roll;
mod row_hash;
mod uniform_timing;
mod uses;

pub use builder::KeyServiceBuilder;
pub use key_service::KeyService;
pub use leaks::OnLeak;
pub use read::KeyPage;
