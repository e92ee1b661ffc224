### The first page: how webhooks, tasks and events work together, the caller's limits, the queue, and
### the latest deliveries.

home-title = Tasks dashboard
home-text =
    Three records work together: a webhook, a task and an event. One webhook can serve many tasks,
    and many events can run the same task.
# Instead of the number of a record that cannot be created yet.
home-none = None yet
# The number, where there are more than are counted.
home-more = { $count }+

# The number of webhooks links to their list. This is what screen readers say: $count is a text, such
# as "7" or "100+".
home-webhook-view = Webhooks: { $count }
home-webhook-title = 1. Webhook
home-webhook-text = Where and how to send: the address of another system, and the credentials for it.
home-webhook-new = New webhook
# The button of the step that comes first.
home-webhook-start = Start here: New webhook

home-task-view = Tasks: { $count }
home-task-title = 2. Task
home-task-text =
    What to send: a message with variables, sent through one webhook. Run it manually to try it.
home-task-new = New task
home-task-start = Start here: New task

home-event-view = Events: { $count }
home-event-title = 3. Event
home-event-text =
    When to send: the task runs when something happens to an object, or to any object with a tag.
home-event-new = New event
home-event-start = Start here: New event

## The latest deliveries

home-latest-title = Latest deliveries
home-latest-all = All deliveries
home-latest-none =
    No deliveries yet. Once you have a webhook, a task and an event, what they send is listed here.

## The queue of the whole system, for system administrators

home-queue-title = Queue
# Names of numbers; the number is above.
home-queue-queued = queued
home-queue-running = running
home-queue-in-flight = in flight on this node
home-queue-failures = recent failures
home-queue-share = { $percent }%
# $time: how long ago, such as "3 seconds ago".
home-queue-counted = Queued and running as of { $time }.
home-queue-unrecorded = Outcomes cannot be recorded at the moment.

## Limits

home-limits-title = Limits
# Names of limits; beside each is how much is used: "3 of 500".
home-limits-keys = API keys
home-limits-webhooks = Webhooks
home-limits-tasks = Tasks
home-limits-events = Events
# The total of keys, webhooks, tasks and events.
home-limits-record-bytes = Size of these records
home-limits-waiting = Waiting deliveries
home-limits-waiting-bytes = Size of their messages
home-limits-log-bytes = Size of the delivery log
home-limits-runs-per-minute = Manual sends and runs in the last minute
home-limits-key-changes-per-minute = API key changes in the last minute
# $used and $most: amounts, such as "3" or "1.5 MiB".
home-limits-used = { $used } of { $most }
home-limits-unlimited = { $used }, no limit
home-limits-full = full
home-limits-nearly-full = nearly full
home-limits-bytes =
    { $count ->
        [one] { $count } byte
       *[other] { $count } bytes
    }
# $size: a text, such as "1.5".
home-limits-kib = { $size } KiB
home-limits-mib = { $size } MiB
home-limits-gib = { $size } GiB
home-limits-tib = { $size } TiB
