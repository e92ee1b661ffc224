//! What a template is filled in with.

use crate::data::Data;

/// The values of the variables for one run.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// `${DATE}`: see [`format_date`](crate::format_date).
    pub date: &'a str,
    /// `${TIMESTAMP}`: epoch seconds.
    pub timestamp: i64,
    /// `${NAME}`: the name of the object; any text.
    pub name: &'a str,
    /// Further variables, by name. A name of the four above is not looked up here.
    pub extra: &'a [(&'a str, &'a str)],
    /// `${data}` and `${data.path}`.
    pub data: Option<&'a Data>,
    /// `${context}` and `${context.path}`: what the event that runs the task has for it.
    pub context: Option<&'a Data>,
}
