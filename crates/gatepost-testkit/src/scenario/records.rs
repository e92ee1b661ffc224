//! Steps on webhooks, tasks and events.

use std::cmp::Ordering;

use gatepost_ids::Realm;
use gatepost_storage::webhooks::*;
use gatepost_storage::{AtMost, StoreError};
use webhook_model::{Action, Activity, DeliveryMode, DeliveryOrder, Event, Task, TaskId, Webhook};

use super::names::joined;
use super::play::{Answer, Play};
use super::step::{Step, parsed, realm};
use crate::fields::full_webhook;
use crate::fixtures::{UNLIMITED, at, event, full_event, full_task, task, webhook_of};

impl Play {
    pub(super) async fn on_records(&mut self, step: &Step<'_>) -> Answer {
        let (records, name) = (self.store.records.clone(), step.word(0));
        match step.verb {
            "set" => self.set(step).await,
            "webhook" | "task" | "event" => self.insert(step).await,
            "edit" => self.edit(step).await,
            "keep" => {
                let row = self.row(step.word(1)).await?;
                self.rows
                    .insert(name.to_owned(), row.expect("a row to keep"));
                Ok(String::new())
            }
            "delete" => self.delete(step).await,
            "read" => self.read(step).await,
            "list" => self.list(step).await,
            "routes" => {
                let at_most = step.number_of("at_most", u32::MAX);
                let Some(found) = records.routes(realm(name), at_most).await? else {
                    return Ok("too many".to_owned());
                };
                match step.word(1) {
                    "content" => {
                        return Ok(self.look(format!("{:?} {:?}", found.tasks, found.events)));
                    }
                    "all" => return Ok(self.look(format!("{found:?}"))),
                    _ => {}
                }
                let tasks = found.tasks.iter().map(|task| task.id.into());
                Ok(self
                    .records
                    .of(tasks.chain(found.events.iter().map(|event| event.id.into()))))
            }
            "is" => {
                let row = self.row(name).await?;
                Ok((row.as_ref() == self.rows.get(step.word(1))).to_string())
            }
            "owned" => {
                let mut owners = Vec::new();
                for name in &step.words {
                    let owner = records.owner_of(self.records.id(name)).await?;
                    owners.push(joined(owner));
                }
                Ok(joined(owners))
            }
            "webhooks" => {
                let ids: Vec<_> = step.words.iter().map(|name| self.webhook(name)).collect();
                let rows = records.webhooks(&ids).await?;
                Ok(self.records.of(rows.iter().map(|row| row.id.into())))
            }
            "newer" => Ok((self.records.id(name) > self.records.id(step.word(1))).to_string()),
            "moved" => self.moved(step).await,
            "latest" => {
                let places: Vec<Realm> = step.words.iter().map(|word| realm(word)).collect();
                let versions = records.routes_versions(&places).await?;
                let latest = versions.iter().max();
                let places = places.iter().zip(&versions);
                let places = places.filter(|(_, version)| Some(*version) == latest);
                Ok(joined(places.map(|(place, _)| place)))
            }
            "usage" => {
                let used = records.record_usage(step.number(0)).await?;
                let (webhooks, tasks, events) = (used.webhooks, used.tasks, used.events);
                Ok(format!("{webhooks}/{tasks}/{events}/{}", used.bytes))
            }
            "precondition" => self.precondition(step).await,
            "runs" => {
                let ids: Vec<_> = step.words.iter().map(|name| self.task(name)).collect();
                let runs = self.store.log.last_runs(&ids).await?;
                let shown = |(task, when): &(TaskId, _)| {
                    let name = self.records.of([RecordId::Task(*task)]);
                    format!("{name}@{}", super::step::seconds(*when))
                };
                Ok(joined(runs.iter().map(shown)))
            }
            verb => panic!("there is no step {verb}"),
        }
    }

    /// `set name [owner=]`: a webhook, a task that stays, `name.task`, and an event, `name.event`.
    async fn set(&mut self, step: &Step<'_>) -> Answer {
        let name = step.word(0);
        let owner = step.number_of("owner", 1);
        let set = crate::world::set_at(&self.store, owner, name, self.now).await;
        self.records.add(name, set.webhook.into());
        self.records.add(&format!("{name}.task"), set.task.into());
        self.records.add(&format!("{name}.event"), set.event.into());
        Ok(String::new())
    }

    /// `webhook name`, `task name webhook`, `event name task`, with `key=value…`, and `rows=`, the
    /// most that there may be.
    async fn insert(&mut self, step: &Step<'_>) -> Answer {
        let (records, now) = (self.store.records.clone(), at(self.now));
        let (name, full) = (step.word(0), step.words.contains(&"full"));
        let at_most = AtMost {
            rows: step.number_of("rows", u64::MAX),
            ..UNLIMITED
        };
        let row: RecordRow = match step.verb {
            "task" => {
                let new = if full { full_task } else { task };
                let mut task = new(self.webhook(step.word(1)));
                self.change_task(&mut task, step);
                records.insert_task(&task, at_most, now).await?.into()
            }
            "event" => {
                let new = if full { full_event } else { event };
                let mut event = new(self.task(step.word(1)));
                self.change_event(&mut event, step);
                records.insert_event(&event, at_most, now).await?.into()
            }
            _ => {
                let mut webhook = webhook_of(1, name);
                if full {
                    webhook = full_webhook();
                }
                self.change_webhook(&mut webhook, step);
                records.insert_webhook(&webhook, at_most, now).await?.into()
            }
        };
        self.records.add(name, row.id());
        self.is_read(name, row, "stored").await
    }

    /// Returns this word if the row reads so.
    async fn is_read(&self, name: &str, row: RecordRow, done: &str) -> Answer {
        let same = self.row(name).await? == Some(row);
        Ok(if same { done } else { "another row is read" }.to_owned())
    }

    async fn row(&self, name: &str) -> Result<Option<RecordRow>, StoreError> {
        let records = &self.store.records;
        Ok(match self.records.id(name) {
            RecordId::Webhook(id) => records.webhook(id).await?.map(Into::into),
            RecordId::Task(id) => records.task(id).await?.map(Into::into),
            RecordId::Event(id) => records.event(id).await?.map(Into::into),
        })
    }

    /// `edit name [row=kept] key=value…`: the row is read, or is the one that was kept.
    async fn edit(&self, step: &Step<'_>) -> Answer {
        let (records, now) = (&self.store.records, at(self.now));
        let name = step.word(0);
        let row = match step.option("row") {
            Some(kept) => self.rows[kept].clone(),
            None => self.row(name).await?.expect("a row to edit"),
        };
        let edited: RecordRow = match row {
            RecordRow::Webhook(mut row) => {
                row.id = self.webhook(name);
                self.change_webhook(&mut row.value, step);
                records.update_webhook(&row, UNLIMITED, now).await?.into()
            }
            RecordRow::Task(mut row) => {
                row.id = self.task(name);
                row.owner = step.option("owner").map_or(row.owner, parsed);
                self.change_task(&mut row.value, step);
                records.update_task(&row, UNLIMITED, now).await?.into()
            }
            RecordRow::Event(mut row) => {
                row.id = self.event(name);
                self.change_event(&mut row.value, step);
                records.update_event(&row, UNLIMITED, now).await?.into()
            }
        };
        self.is_read(name, edited, "edited").await
    }

    async fn delete(&self, step: &Step<'_>) -> Answer {
        let (records, now) = (&self.store.records, at(self.now));
        let cascade = match step.word(1) {
            "cascade" => Cascade::Tasks,
            _ => Cascade::Refuse,
        };
        match self.records.id(step.word(0)) {
            RecordId::Webhook(id) => records.delete_webhook(id, cascade, now).await?,
            RecordId::Task(id) => records.delete_task(id, now).await?,
            RecordId::Event(id) => records.delete_event(id, now).await?,
        }
        Ok("deleted".to_owned())
    }

    fn change_webhook(&self, webhook: &mut Webhook, step: &Step<'_>) {
        for (key, value) in &step.options {
            match (*key, *value) {
                ("name", name) => webhook.name = parsed(name),
                ("activity", "active") => webhook.activity = Activity::Active,
                ("activity", "paused") => webhook.activity = Activity::Paused,
                ("activity", "disabled") => webhook.activity = Activity::Disabled,
                ("order", "in_order") => webhook.order = DeliveryOrder::InOrder,
                ("order", "none") => webhook.order = DeliveryOrder::Unordered,
                ("mode", mode) => webhook.mode = DeliveryMode::parse(mode).unwrap(),
                ("insecure", insecure) => webhook.allow_insecure = parsed(insecure),
                ("owner", owner) => webhook.owner = parsed(owner),
                _ => {}
            }
        }
    }

    fn change_task(&self, row: &mut Task, step: &Step<'_>) {
        for (key, value) in &step.options {
            match *key {
                "name" => row.name = parsed(value),
                "enabled" => row.enabled = parsed(value),
                "creator" => row.creator = parsed(value),
                "webhook" => row.action = task(self.webhook(value)).action,
                _ => {}
            }
        }
    }

    fn change_event(&self, row: &mut Event, step: &Step<'_>) {
        for (key, value) in &step.options {
            match *key {
                "type" => row.event_type = parsed(value),
                "event" => row.event = parsed(value),
                "enabled" => row.enabled = parsed(value),
                "task" => row.task = self.task(value),
                _ => {}
            }
        }
    }

    /// `read name [field…]`: `there` or `none`, and these fields.
    async fn read(&self, step: &Step<'_>) -> Answer {
        let head = self
            .store
            .records
            .owner_of(self.records.id(step.word(0)))
            .await?;
        let Some(row) = self.row(step.word(0)).await? else {
            return Ok(joined(
                ["none"].into_iter().chain(head.map(|_| "but a head")),
            ));
        };
        let of = |field: &&str| match (&row, *field) {
            (RecordRow::Webhook(row), "owner") => row.owner.to_string(),
            (RecordRow::Task(row), "owner") => row.owner.to_string(),
            (RecordRow::Event(row), "owner") => row.owner.to_string(),
            (RecordRow::Webhook(row), "name") => row.value.name.to_string(),
            (RecordRow::Webhook(row), "activity") => format!("{:?}", row.value.activity),
            (RecordRow::Webhook(row), "mode") => row.value.mode.as_str().to_owned(),
            (RecordRow::Task(row), "creator") => row.value.creator.to_string(),
            (RecordRow::Task(row), "webhook") => {
                let Action::Send { webhook, .. } = row.value.action else {
                    return "?".to_owned();
                };
                self.records.of([webhook.into()])
            }
            (row, field) => panic!("{row:?} has no {field}"),
        };
        let fields = step.words.iter().skip(1).map(of);
        Ok(joined(std::iter::once("there".to_owned()).chain(fields)))
    }

    /// `list webhooks|tasks|events [scope= name= webhook= creator= task= type=] [newest] [limit=]`
    async fn list(&self, step: &Step<'_>) -> Answer {
        let scope = step.scope();
        let name = step.option("name").map(str::to_owned);
        let records = &self.store.records;
        Ok(match step.word(0) {
            "webhooks" => {
                let page = step.page(|name| self.webhook(name));
                let query = WebhookQuery { scope, name, page };
                let rows = records.list_webhooks(&query).await?;
                self.records.of(rows.iter().map(|row| row.id.into()))
            }
            "tasks" => {
                let query = TaskQuery {
                    scope,
                    creator: step.option("creator").map(parsed),
                    webhook: step.option("webhook").map(|name| self.webhook(name)),
                    name,
                    page: step.page(|name| self.task(name)),
                };
                let rows = records.list_tasks(&query).await?;
                self.records.of(rows.iter().map(|row| row.id.into()))
            }
            _ => {
                let query = EventQuery {
                    scope,
                    task: step.option("task").map(|name| self.task(name)),
                    event_type: step.option("type").map(parsed),
                    page: step.page(|name| self.event(name)),
                };
                let rows = records.list_events(&query).await?;
                self.records.of(rows.iter().map(|row| row.id.into()))
            }
        })
    }

    /// `moved realm…`: the realms whose version rose since they were asked for last.
    async fn moved(&mut self, step: &Step<'_>) -> Answer {
        let places: Vec<Realm> = step.words.iter().map(|word| realm(word)).collect();
        let versions = self.store.records.routes_versions(&places).await?;
        let mut moved = Vec::new();
        for (name, version) in step.words.iter().zip(versions) {
            let before = self.versions.insert((*name).to_owned(), version);
            match before.map(|before| version.cmp(&before)) {
                Some(Ordering::Greater) => moved.push((*name).to_owned()),
                Some(Ordering::Less) => moved.push(format!("{name} fell")),
                _ => {}
            }
        }
        Ok(joined(moved))
    }

    /// `precondition name realm… [swapped]` or `precondition name row…`: these, as they are now, as
    /// a precondition; or with the version of the other realm.
    async fn precondition(&mut self, step: &Step<'_>) -> Answer {
        let (odd, words): (Vec<&str>, _) = step.words[1..].iter().partition(|w| **w == "swapped");
        let words: Vec<&str> = words;
        let places: Option<Vec<Realm>> = words.iter().map(|word| Realm::from_word(word)).collect();
        let precondition = if let Some(places) = places.filter(|places| !places.is_empty()) {
            let mut versions = self.store.records.routes_versions(&places).await?;
            if !odd.is_empty() {
                versions.reverse();
            }
            Precondition::Realms(places.into_iter().zip(versions).collect())
        } else {
            let mut rows = Vec::new();
            for name in words {
                let row = self.row(name).await?.expect("a row");
                let revision = match &row {
                    RecordRow::Webhook(row) => row.revision,
                    RecordRow::Task(row) => row.revision,
                    RecordRow::Event(row) => row.revision,
                };
                rows.push((row.id(), revision));
            }
            Precondition::Rows(rows)
        };
        self.bases.insert(step.word(0).to_owned(), precondition);
        Ok(String::new())
    }
}
