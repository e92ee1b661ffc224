//! Admission of requests: the [scheduler](crate::scheduler), shared by all parts of an engine.

mod inquiries;
mod permit;
mod shared;

pub(crate) use inquiries::Inquiry;
pub(crate) use permit::Permit;
pub(crate) use shared::Admission;
