//! The key service.

mod admission;
mod authenticate;
mod bounded;
mod builder;
mod changes;
mod expiring;
mod importing;
mod key_service;
mod leaks;
mod lookup;
mod manage;
mod moment;
mod outcomes;
mod owners;
mod placing;
mod read;
mod refusals;
mod refused;
mod rolling;
mod row_hash;
mod teller;
mod telling;
mod uses;
mod waiting;

pub use builder::KeyServiceBuilder;
pub use key_service::KeyService;
pub use leaks::OnLeak;
pub use read::KeyPage;
