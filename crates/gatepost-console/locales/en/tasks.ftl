### Tasks: what is sent, and through which webhook.

tasks-title = Tasks
tasks-new = New task
# $name: the name of the task.
tasks-edit = Edit { $name }

## The list: its columns and buttons

tasks-name = Name
tasks-object = Object
tasks-last-run = Last run
tasks-state = State
# The heading, for screen readers, of the column of buttons.
tasks-actions = Actions
# $webhook: its name.
tasks-webhook = Webhook { $webhook }
tasks-webhook-other = Webhook of another user
tasks-send = Send
tasks-last-run-never = never
tasks-state-enabled = enabled
tasks-state-disabled = disabled
# The task is deleted after it has run.
tasks-state-once = one-time
tasks-test-or-run = Test or run
# tasks-test-or-run for screen readers. $name: the name of the task.
tasks-test-or-run-of = Test or run { $name }
tasks-enable = Enable
tasks-disable = Disable
tasks-delete = Delete
# The three texts before, for screen readers.
tasks-enable-of = Enable { $name }
tasks-disable-of = Disable { $name }
tasks-delete-of = Delete { $name }
tasks-none-title = No tasks yet
tasks-none-text =
    A task defines what to send: a message, and the webhook that sends it. Events run it, or you run
    it manually.

## Results

# $link: tasks-created-event.
tasks-done-created = The task was created. To define when it runs, create an event: { $link }
tasks-done-created-link = New event
tasks-done-saved = The task was saved.
tasks-done-deleted = The task and its events were deleted.
# $link: tasks-ran-deliveries.
tasks-done-ran = The task was run. The { $link } show what was sent.
tasks-done-ran-link = deliveries
tasks-done-enabled = The task is enabled and runs when its events occur.
tasks-done-disabled = The task is disabled and does not run.
tasks-done-cancelled = The deliveries of the task that waited were cancelled.
tasks-done-nothing = No delivery of the task waited.
tasks-not-run = A disabled task cannot be run.

## The form

tasks-form-name = Name
tasks-form-description = Description (optional)
tasks-form-description-hint = The purpose, or what the target is expected to do.
tasks-form-object-type = Object type
tasks-object-type-webhook = Webhook
tasks-form-object-type-hint = The type of the object on which the task acts.
tasks-form-webhook = Object
tasks-form-webhook-hint = The webhook that sends the message.
# $link: tasks-object-new.
tasks-object-none = A task needs a webhook. If you have none yet, create one first: { $link }
tasks-object-new = New webhook
tasks-form-action = Action
tasks-form-action-hint = The action of the task on the object.
tasks-form-enabled = Enabled
tasks-form-enabled-hint = The task runs when its events occur, or when you run it.
tasks-form-once = Delete task after running
tasks-form-once-hint = The task runs once, and is then deleted together with its events.
tasks-form-message = Message
tasks-form-message-hint = The payload. Variables are filled in when the task runs.
tasks-create = Create task
tasks-save = Save task

## The variables of a message

tasks-variables = Variables
# $type: a type of events, such as "Virtual machines".
tasks-variables-of = Variables of events: { $type }
# $description: what the platform says of a variable. $sample: a value.
tasks-variable-sample = { $description }: { $sample }
# A button that inserts a variable, for screen readers.
tasks-variable-insert = Insert { $variable } into the message
tasks-variable-date = Date and time, such as Thu, 16 Oct 2025 11:38:07 EDT
tasks-variable-timestamp = The same time in seconds since 1970-01-01 UTC
tasks-variable-random = A random whole number, different for each occurrence
tasks-variable-name = The name of the object that the event applies to
tasks-variable-type = The type of the event, such as vms
tasks-variable-event = The event, such as poweron
# A dot leads to a part of it, as in the name of the variable “data.disk.free”.
tasks-variable-data =
    The data of the event, as JSON; with a path such as data.disk.free, a part of it

## The preview of a message

tasks-preview = Preview
tasks-preview-refresh = Refresh
# $name: the name of an object, as an example.
tasks-preview-hint =
    An example: the message for an object named { $name }, with the sample values of the event
    catalog. To see what a manual run sends, test the task.
# Names the preview for screen readers.
tasks-preview-label = Preview of the message
tasks-preview-too-large = With its variables filled in, the message is larger than 1 MiB.
tasks-preview-cut = Only the beginning of the message is shown.
# $names: variables as they are written in the message, with commas between them.
tasks-preview-unknown = Unknown variables are sent unchanged: { $names }.
# $more: how many variables are not named.
tasks-preview-unknown-more = Unknown variables are sent unchanged: { $names } and { $more } more.
tasks-preview-not-json = The message is not JSON.
tasks-preview-not-json-header = The message is not JSON, but the webhook's Content-Type header says it is.

## Errors of fields

tasks-unknown-webhook = This webhook does not exist.
tasks-choose-webhook = Choose the webhook that sends the message.
tasks-choose-event = Choose the event.
tasks-choose-object = Choose the object.
tasks-unknown-object = There is no such object.
tasks-value-too-long = Must be at most { $count } bytes.

## The page that asks before a task is deleted

tasks-delete-title = Delete this task?
tasks-delete-question =
    The task { $name } and its events will be deleted. Deliveries that are already queued are still
    sent. This cannot be undone.
tasks-delete-button = Delete task

## The page that asks before what waits of a task is cancelled

# A link to that page.
tasks-cancel = Cancel waiting deliveries
tasks-cancel-title = Cancel the waiting deliveries of this task?
# $name: the name of the task. $state: what the state of a delivery is called that was not sent.
tasks-cancel-question =
    Deliveries of the task { $name } that wait to be sent, or to be sent again, will not be sent.
    Their state becomes { $state }.
tasks-cancel-note =
    Deliveries that are being sent are not cancelled. Cancelled deliveries can be replayed later, if their
    messages are kept.
tasks-cancel-button = Cancel deliveries
# Goes back without cancelling.
tasks-cancel-back = Keep deliveries

## The page that tests or runs a task

# $name: the name of the task.
tasks-test-title = Test { $name }
# Above the errors of the form.
tasks-test-refused = Nothing was sent.
tasks-test-once = This task is deleted after it has run. A test does not delete it.
tasks-test-type = Event type
tasks-test-type-hint = The message is filled in as if an event of this type had happened.
tasks-test-type-none = No event, only a name
# Continues to the fields of the chosen type.
tasks-test-choose = Choose
tasks-test-event = Event
# $type: the label of the event's type.
tasks-test-event-hint = { $type }: what happens to the object.
tasks-test-object = Object
# ${"{"}NAME{"}"} is a variable of messages.
tasks-test-object-hint =
    Its name replaces ${"{"}NAME{"}"}. If you choose no object, the name below is used.
tasks-test-name = Name
tasks-test-name-hint = The value of ${"{"}NAME{"}"}.
# Below the heading tasks-preview.
tasks-test-preview-hint = The message as it would be sent now.
tasks-test-note =
    A test is sent through the task’s webhook and is listed among the deliveries, marked as a test.
    It does not count as a run.
tasks-test-send = Send test
tasks-test-run = Run now
