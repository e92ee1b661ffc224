//! The platform's own tables, served next to those of keys and webhooks: users, virtual machines,
//! tags.

use std::sync::Arc;

use async_trait::async_trait;
use gatepost_engine::Engine;
use gatepost_http::{Action, Column, PlatformError, PlatformRows, PlatformTable};
use gatepost_keys::{AccessLevel, Principal};
use serde_json::{Map, Value};
use webhook_model::ObjectId;

use crate::platform::Platform;

static USERS: PlatformTable = PlatformTable::new(
    "users",
    "user",
    "The platform's users.",
    &[
        Column::text("name", "\"admin\"", "The name for logging in.").short(),
        Column::text("displayname", "\"admin\"", "The user's name, as shown.").short(),
        Column::text(
            "email",
            "\"admin@example.com\"",
            "The email address; empty if the caller may not see it.",
        ),
        Column::text(
            "type",
            "\"normal\"",
            "`normal`: a person. Other platforms have `api`, `vdi`, `site_sync` and `site_user` besides.",
        )
        .short(),
        Column::bool("enabled", "true", "Whether the user may log in.").short(),
        Column::time(
            "created",
            "0",
            "When the user was made; 0 for from the start.",
        ),
        Column::time("last_login", "0", "The last login; 0 for none."),
    ],
    &[],
);

static VMS: PlatformTable = PlatformTable::new(
    "vms",
    "vm",
    "The platform's virtual machines.",
    &[
        Column::text("name", "\"web-1\"", "The name.").short(),
        Column::text("tags", "\"1,2\"", "The tags that it carries, comma-joined.").short(),
        Column::bool(
            "is_snapshot",
            "false",
            "Whether it is a snapshot of another one. Existing clients leave those out.",
        ),
    ],
    &[
        Action::new("poweron", "It is powered on."),
        Action::new("poweroff", "It is powered off."),
        Action::new("created", "It is created, as far as events go."),
    ],
);

static TAGS: PlatformTable = PlatformTable::new(
    "tags",
    "tag",
    "Tags that virtual machines carry.",
    &[Column::text("name", "\"production\"", "The name.").short()],
    &[],
);

/// One of the platform's tables.
#[derive(Debug)]
pub struct HostTables {
    table: &'static PlatformTable,
    name: &'static str,
    engine: Engine,
}

impl HostTables {
    /// Returns all tables. The engine is notified of actions on virtual machines.
    #[must_use]
    pub fn all(engine: &Engine) -> Vec<Arc<dyn PlatformRows>> {
        [(&USERS, "users"), (&VMS, "vms"), (&TAGS, "tags")]
            .map(|(table, name)| -> Arc<dyn PlatformRows> {
                Arc::new(Self {
                    table,
                    name,
                    engine: engine.clone(),
                })
            })
            .into()
    }
}

#[async_trait]
impl PlatformRows for HostTables {
    fn table(&self) -> &'static PlatformTable {
        self.table
    }

    async fn rows(&self, caller: &Principal) -> Result<Vec<Map<String, Value>>, PlatformError> {
        let rows = Platform::rows(caller, self.name).unwrap_or_default();
        let rows = rows.into_iter().filter_map(|row| match row {
            Value::Object(row) => Some(row),
            _ => None,
        });
        Ok(rows.collect())
    }

    /// `POST vm_actions {"vm": 1, "action": "poweron"}`: reports an occurrence. Machines belong to
    /// the platform: only its administrator acts on them.
    async fn act(
        &self,
        caller: &Principal,
        key: ObjectId,
        action: &str,
    ) -> Result<(), PlatformError> {
        if caller.access != AccessLevel::SystemAdministrator {
            return Err(PlatformError::Forbidden);
        }
        let Ok(Some(occurrence)) = Platform::vm_event(key, action) else {
            return Err(PlatformError::NotFound);
        };
        let told = self.engine.emit(occurrence).await;
        told.map(drop).map_err(|_| PlatformError::Unavailable)
    }
}
