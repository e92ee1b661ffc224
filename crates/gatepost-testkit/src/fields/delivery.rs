//! The fields of a delivery, of a new delivery, and of an attempt.

use std::time::Duration;

use chrono::TimeDelta;
use gatepost_ids::{ObjectId, OwnerId, TenantId};
use gatepost_storage::webhooks::{
    AttemptRecord, Cause, Delivery, DeliveryId, DeliveryState, NewDelivery, Phases,
};
use webhook_model::{TaskId, WebhookId};

use super::field::{Field, fields};
use crate::fixtures::{at, excerpt, trace};

/// Causes of a delivery, each part in turn.
fn causes() -> Vec<Option<Cause>> {
    let plain: Cause = "vms poweron - - -".parse().expect("a cause");
    let mut causes = vec![plain; 10];
    causes[1].event_type = "hosts".parse().unwrap();
    causes[2].event = "poweroff".parse().unwrap();
    causes[3].object = Some(ObjectId::from(7));
    causes[4].by = Some(OwnerId(7));
    causes[5].occurrence = Some("id-1".parse().unwrap());
    causes[6].trace = Some(trace());
    // Values of a new part must be added, too.
    let Cause {
        event_type: _,
        event: _,
        object: _,
        by: _,
        occurrence: _,
        trace: _,
        data: _,
    } = &mut causes[7];
    causes[7].object = Some(ObjectId::from(8));
    causes[8].data = Some("{}".parse().unwrap());
    (causes[9].trace, causes[9].data) = (Some(trace()), Some(excerpt()));
    causes.into_iter().map(Some).collect()
}

fn micros(micros: u64) -> Option<Duration> {
    Some(Duration::from_micros(micros))
}

/// Returns every field of a new delivery. The webhooks are those that it may name.
#[must_use]
pub fn of_new_delivery(base: &NewDelivery, webhook: WebhookId) -> Vec<Field<NewDelivery>> {
    let mut fields = fields! { base.clone(), row =>
        row, NewDelivery {
            message_id: Kept ["other_1".parse().unwrap(), "other_2".parse().unwrap()],
            webhook: Kept [webhook],
            task: Kept [Some(TaskId(7)), Some(TaskId(8))],
            cause: Kept [None],
            body: Kept ["{\"é\": 1}\0".into(), "".into()],
            due: Kept [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            lease_until: Kept [Some(at(9_000)), Some(at(9_000) + TimeDelta::microseconds(1))],
        };
    };
    let cause = fields.iter_mut().find(|f| f.name == "row.cause");
    if let Some(cause) = cause {
        let with = |cause| NewDelivery {
            cause,
            ..base.clone()
        };
        cause.values = causes().into_iter().map(with).collect();
    }
    fields
}

/// Returns every field of a delivery. No caller passes one: each follows from the enqueued delivery
/// and later calls.
#[must_use]
pub fn of_delivery(base: &Delivery) -> Vec<Field<Delivery>> {
    let mut fields = fields! { base.clone(), row =>
        row, Delivery {
            id: Shown [DeliveryId(7_001), DeliveryId(7_002)],
            message_id: Own ["other_1".parse().unwrap(), "other_2".parse().unwrap()],
            webhook: Own [WebhookId(7_001), WebhookId(7_002)],
            owner: Own [OwnerId(7_001), OwnerId(7_002)],
            tenant: Own [Some(TenantId(7_001)), Some(TenantId(7_002))],
            task: Own [Some(TaskId(7)), Some(TaskId(8))],
            cause: Own [None],
            body: Own ["{\"é\": 1}\0".into(), "".into()],
            message_kept: Own [false, true],
            state: Own [
                DeliveryState::Queued,
                DeliveryState::Running,
                DeliveryState::Sent,
                DeliveryState::Error,
            ],
            class: Own ["timeout".to_owned(), "tls".to_owned()],
            status_info: Own ["timeout".to_owned(), "Timeout".to_owned()],
            created: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            due: Own [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            lease_until: Own [Some(at(9_000)), Some(at(9_000) + TimeDelta::microseconds(1))],
            last_attempt: Own [Some(at(-5_000)), Some(at(-5_000) + TimeDelta::microseconds(1))],
            attempts: Own [7, 8],
            tries: Own [7, 8],
            lost_claims: Own [1, 2],
            response_status: Own [Some(503), Some(504)],
            duration: Own [micros(7), micros(8)],
        };
    };
    let cause = fields.iter_mut().find(|f| f.name == "row.cause");
    if let Some(cause) = cause {
        let with = |cause| Delivery {
            cause,
            ..base.clone()
        };
        cause.values = causes().into_iter().map(with).collect();
    }
    fields
}

/// Returns every field of an attempt. All except its number are stored as they were settled.
#[must_use]
pub fn of_attempt(base: &AttemptRecord) -> Vec<Field<AttemptRecord>> {
    fields! { base.clone(), row =>
        row, AttemptRecord {
            number: Own [7_001, 7_002],
            started: Kept [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            duration: Kept [Duration::from_micros(7_000_001), Duration::from_micros(7_000_002)],
            phases: Kept [],
            class: Kept ["timeout".to_owned(), "tls".to_owned()],
            info: Kept ["timeout while connecting".to_owned(), "timeout".to_owned()],
            status: Kept [None, Some(503)],
            remote: Kept [Some("[2001:db8::1]:8443".parse().unwrap()), None],
            protocol: Kept [Some("HTTP/2".to_owned()), None],
            request_head: Kept [b"PUT \xff\0\r\n".to_vec(), Vec::new()],
            response_head: Kept [b"a: \xff\0\r\n".to_vec(), Vec::new()],
            response_body: Kept [b"\xff\0\r\n".to_vec(), Vec::new()],
            truncated: Kept [true, false],
            kept: Kept [false, true],
        };
        row.phases, Phases {
            dns: Kept [micros(1), micros(2)],
            connect: Kept [micros(3), None],
            tls: Kept [micros(4), micros(5)],
            first_byte: Kept [micros(6), micros(7)],
        };
    }
}
