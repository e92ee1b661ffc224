//! The fields of a task.

use gatepost_ids::{OwnerId, TaskId};
use webhook_model::{Action, Description, Task, TaskName};

use super::field::Field;
use super::reader::{ReadRecord, Reader};
use super::record::Record;
use super::value::Value;
use crate::error::{ErrorKind, StoreError};

impl Record for Task {
    type Id = TaskId;
    const NAME: &'static str = "task";
    const FIELDS: &'static [Field] = &[
        Field::new("creator"),
        Field::new("name"),
        Field::new("description"),
        Field::new("enabled"),
        Field::new("delete_after_run"),
        Field::new("webhook"),
        Field::body("message", ""),
    ];

    fn values(&self) -> Result<Vec<Value>, StoreError> {
        let Self {
            creator,
            name,
            description,
            enabled,
            delete_after_run,
            action,
        } = self;
        let Action::Send { webhook, message } = action else {
            let unknown = "an action that this version does not know";
            return Err(StoreError::new(ErrorKind::Invalid, unknown));
        };
        Ok(vec![
            Value::User(*creator),
            Value::text(name.as_str()),
            Value::text(description.as_str()),
            Value::Bool(*enabled),
            Value::Bool(*delete_after_run),
            Value::Number(webhook.0),
            Value::text(message.as_str()),
        ])
    }
}

impl ReadRecord for Task {
    fn read(_owner: OwnerId, fields: &mut Reader<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            creator: fields.column()?.user()?,
            name: fields.column()?.text(TaskName::stored)?,
            description: fields.column()?.text(Description::stored)?,
            enabled: fields.column()?.flag()?,
            delete_after_run: fields.column()?.flag()?,
            action: Action::Send {
                webhook: fields.column()?.id()?,
                message: fields.column()?.parsed()?,
            },
        })
    }
}
