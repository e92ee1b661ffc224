//! The key service.

mod admission;
mod authenticate;
mod builder;
mod changes;
mod key_service;
mod logins;
mod lookup;
mod manage;
mod outcomes;
mod placing;
mod read;
mod refused;
mod removal;

pub use builder::KeyServiceBuilder;
pub use key_service::KeyService;
pub use read::KeyPage;
