//! The platform's virtual machines, each of one customer, and the tags that they carry.

use gatepost_keys::{Principal, TenantId};
use serde_json::{Value, json};
use webhook_model::{
    Audience, Data, EventNotes, Invalid, Object, ObjectId, Occurrence, OwnerId, TagId,
};

use super::Platform;
use super::users::Who;

/// Tags are the platform's own words: everybody may use and see them.
const TAGS: [(i64, &str); 3] = [(1, "production"), (2, "database"), (4, "staging")];
const VMS: [Machine; 5] = [
    Machine::new(1, "web-1", &[1], Audience::Tenant(TenantId(1))),
    Machine::new(2, "db-1", &[1, 2], Audience::Tenant(TenantId(1))),
    Machine::new(3, "build", &[], Audience::Tenant(TenantId(1))),
    Machine::new(4, "shop-1", &[1], Audience::Tenant(TenantId(2))),
    Machine::new(5, "blog", &[1], Audience::Owner(OwnerId(4))),
];

/// The variable that occurrences of virtual machines have next to the name.
const VM_ID: &str = "VM_ID";
/// The form of their data, as a JSON Schema.
const DATA: &str = r#"{"type":"object","required":["vm"],"properties":{"vm":{"type":"object","properties":
    {"id":{"type":"integer"},"name":{"type":"string"},"tags":{"type":"array","items":{"type":"integer"}}}}}}"#;

/// A virtual machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    key: u32,
    name: &'static str,
    tags: &'static [i64],
    /// Its owners, who also receive its occurrences.
    of: Audience,
}

impl Machine {
    const fn new(key: u32, name: &'static str, tags: &'static [i64], of: Audience) -> Self {
        Self {
            key,
            name,
            tags,
            of,
        }
    }

    pub(super) fn find(id: ObjectId) -> Option<Self> {
        VMS.into_iter()
            .find(|machine| ObjectId::from(machine.key) == id)
    }

    /// Returns the data that every occurrence of the machine carries.
    fn data(&self) -> Result<Data, Invalid> {
        let vm = json!({"id": self.key, "name": self.name, "tags": self.tags});
        Data::new([("vm".to_owned(), vm)].into_iter().collect())
    }

    /// Returns whether the user sees it and receives its occurrences: it belongs to the user or to
    /// the user's tenant, or the user is a system administrator.
    pub(super) fn reaches(&self, who: &Who) -> bool {
        let own = match self.of {
            Audience::Owner(owner) => owner == who.key,
            Audience::Tenant(tenant) => Some(tenant) == who.tenant,
            _ => false,
        };
        own || who.runs_the_platform()
    }
}

/// Returns the catalogue's notes for an event of virtual machines.
pub(super) fn about_machine(description: &str) -> Result<EventNotes, Invalid> {
    let notes = EventNotes::new(description).with_object("web-1");
    let notes = match Machine::find(ObjectId::from(1)) {
        Some(machine) => notes.with_data(machine.data()?).with_schema(DATA.parse()?),
        None => notes,
    };
    notes.with_variable(VM_ID, "The row number of the machine", "1")
}

/// Returns the rows of the table `vms` that a caller may see.
pub(super) fn machines(caller: &Principal) -> Vec<Value> {
    let reader = Who::from(caller);
    let seen = VMS.iter().filter(|machine| machine.reaches(&reader));
    seen.map(|machine| {
        let tags: Vec<String> = machine.tags.iter().map(i64::to_string).collect();
        json!({"$key": machine.key, "name": machine.name, "tags": tags.join(","), "is_snapshot": false})
    })
    .collect()
}

/// Returns whether there is such a tag.
pub(super) fn is_tag(tag: TagId) -> bool {
    TAGS.iter().any(|(key, _)| *key == tag.0)
}

/// Returns the rows of the table `tags`.
pub(super) fn tags() -> Vec<Value> {
    let row = |(key, name): &(i64, &str)| json!({"$key": key, "name": name});
    TAGS.iter().map(row).collect()
}

impl Platform {
    /// Returns the occurrence of an action on a virtual machine, for its owners; `None` if the
    /// machine does not exist.
    ///
    /// # Errors
    /// If the action is no identifier.
    pub fn vm_event(vm: ObjectId, action: &str) -> Result<Option<Occurrence>, Invalid> {
        let Some(machine) = Machine::find(vm) else {
            return Ok(None);
        };
        Ok(Some(
            Occurrence::new("vms".parse()?, action.parse()?, machine.of)
                .with_object(Object::new(vm, machine.name))
                .with_tags(machine.tags.iter().map(|tag| TagId(*tag)).collect())
                .with_variables(vec![(VM_ID.to_owned(), vm.to_string())])
                .with_data(machine.data()?),
        ))
    }
}
