//! The statement that finds where something may be shown.

use gatepost_storage::Order;

use super::source::Key;

const OF_OWNER: &str = ":schema.gatepost_webhook w WHERE w.owner = $3 AND NOT w.gone";
const OF_TENANT: &str = "(
        SELECT o.owner FROM :schema.gatepost_owner o WHERE o.tenant = $3
        UNION SELECT o.owner FROM :schema.gatepost_owner o WHERE o.left_tenants @> ARRAY[$3] AND o.left_tenants <> '{}'
        UNION SELECT o.owner FROM :schema.gatepost_owner o WHERE o.left_tenants IS NULL) o
    CROSS JOIN LATERAL (SELECT w.id, w.floor FROM :schema.gatepost_webhook w WHERE w.owner = o.owner AND NOT w.gone OFFSET 0) w";
const OF_TASK: &str = ":schema.gatepost_task t CROSS JOIN LATERAL unnest(t.webhook || t.left_webhooks) AS u (id)
    CROSS JOIN LATERAL (SELECT w.id, w.floor FROM :schema.gatepost_webhook w WHERE w.id = u.id AND NOT w.gone OFFSET 0) w WHERE t.id = $3";
/// The webhooks of a task are known for as long as there is the task.
const EDITS: &str = "CASE WHEN EXISTS (SELECT FROM :schema.gatepost_task t
        WHERE t.id = $3 AND t.left_webhooks IS NOT NULL) THEN 0::bigint ELSE 9223372036854775807 END";

/// `$1` and `$2`: from which id until before which. `$3`: the key. `$4`: up to which id all are too
/// old to be shown once they have ended. The first id in this order that is shown, or one before
/// it: of each webhook that the key may have deliveries of, that after its floor and that which
/// waits; and what runs, whosever it is. Then the id up to which this is not known. `None`: no such
/// webhooks are known.
pub(super) fn shown(key: Key, order: Order) -> Option<String> {
    let (hooks, unknown) = match key {
        Key::Owner(_) => (OF_OWNER, "0::bigint"),
        Key::Tenant(_) => (OF_TENANT, "0::bigint"),
        Key::Task(_) => (OF_TASK, EDITS),
        Key::Webhook(_) | Key::All => return None,
    };
    let (edge, direction) = match order {
        Order::Ascending => ("min", "ASC"),
        Order::Descending => ("max", "DESC"),
    };
    let text = include_str!("../../sql/log/shown.sql");
    let text = text.replace(":edge", edge).replace(":direction", direction);
    Some(text.replace(":hooks", hooks).replace(":unknown", unknown))
}
