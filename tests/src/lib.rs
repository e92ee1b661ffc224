//! Shared code of the tests of the whole.
#![allow(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test stops at the first surprise; nothing here is published"
)]

pub mod browser;
pub mod canary;
pub mod chaos;
pub mod dumps;
pub mod entry_points;
pub mod hostile;
pub mod interfaces;
pub mod issuer;
pub mod local_names;
pub mod mutual_tls;
pub mod permissive_platform;
pub mod platform;
pub mod postgres;
pub mod powercut;
pub mod process;
pub mod refused_address;
pub mod simulation;
pub mod soak;
pub mod world;
