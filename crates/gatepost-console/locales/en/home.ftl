### The first page: whether everything is all right, how webhooks, tasks and events work together, the
### queue, the latest deliveries, and the caller's limits.

home-title = Overview
# If no webhook is failing.
home-well = Everything is all right: no webhook is failing at the moment.
home-day-title = Last 24 hours

## Webhooks, tasks and events: links to their lists, and buttons for new ones

home-tasks-title = Tasks dashboard
home-text =
    Three records work together: a webhook, a task and an event. One webhook can serve many tasks,
    and many events can run the same task.
home-webhook-title = 1. Webhook
home-webhook-text = Where and how to send: the address of another system, and the credentials for it.
home-webhook-new = New webhook
# The button of the step that comes first.
home-webhook-start = Start here: New webhook

home-task-title = 2. Task
home-task-text =
    What to send: a message with variables, sent through one webhook. Run it manually to try it.
home-task-new = New task
home-task-start = Start here: New task

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
# If less than half of each limit is used.
home-limits-low = Less than half of each limit is used.
home-limits-all = All limits
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
