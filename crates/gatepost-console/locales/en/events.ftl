### Events: what runs a task.

events-title = Events
events-types = Event types
# Buttons that lead to the form of a new event. $type: the label of a type, such as "Virtual
# machines"; said by screen readers.
events-new = New event
events-new-of = New event of type { $type }

## Names of events. $type: the label of its type. $event: its own, such as "Powered on".

events-name = { $type }: { $event }
# An event to which its user gave a label. $label: the label. $event: what the platform calls it.
events-labelled = { $label } ({ $event })
# The same for screen readers, as part of the name of a button. $target: what it applies to.
events-name-of = { $type } { $event } { $target }

## Targets of events

events-target-object = object { $number }
# $tag: the name of the tag, or its number.
events-target-tag = tag { $tag }
events-target-all = all

## The list: its columns and buttons

events-type = Type
events-event = Event
events-target = Object or tag
events-task = Task
events-state = State
# The heading, for screen readers, of the column of buttons.
events-actions = Actions
events-type-all = All
events-state-enabled = enabled
events-state-disabled = disabled
events-state-task-disabled = task disabled
events-trigger = Trigger
events-enable = Enable
events-disable = Disable
events-delete = Delete
# The four texts before, for screen readers. $name: events-name-of.
events-trigger-of = Trigger { $name }
events-enable-of = Enable { $name }
events-disable-of = Disable { $name }
events-delete-of = Delete { $name }
events-none-title = No events yet
events-none-text =
    An event defines when a task runs: when something happens to an object of the platform, to any
    object with a tag, or to the platform as a whole.

## Results

events-done-created = The event was created and now runs its task.
events-done-saved = The event was saved.
events-done-deleted = The event was deleted.
# $link: the link "deliveries".
events-done-triggered = The event was triggered and ran its task. The { $link } show what was sent.
events-done-triggered-link = deliveries
events-done-enabled = The event is enabled.
events-done-disabled = The event is disabled.
events-not-triggered = The task of this event is disabled, so it was not run.

## The form

events-intro =
    An event runs a task when something happens on the platform. First choose the type. Then choose
    what happens, to which object, and the task to run.
events-type-hint = The area of the platform where the event happens.
events-type-catalog = All types and their events
# Continues to the rest of the form.
events-continue = Continue
events-form-event = Event
events-form-event-hint = The task runs when this happens.
events-meanings = Meanings of these events
events-form-target = Applies to
events-form-target-all = All objects
events-form-target-instance = One object
events-form-target-tag = All objects with a tag
events-applies-to-platform =
    Events of this type apply to the platform as a whole, not to an object or a tag.
events-form-instance = Object
events-form-tag = Tag
events-form-task = Task
events-form-task-hint = The task that the event runs.
# $link: events-task-new.
events-task-none = An event needs a task. If you have none yet, create one first: { $link }
events-task-new = New task
events-form-filter = Filter
events-form-filter-hint =
    Which of these events run the task, depending on their data: a JSON object of paths and
    conditions, all of which must be met. Leave it empty to run the task each time.
events-filter-conditions = How conditions are written
events-filter-equal = The value at this path equals this text, number, true, false or null.
events-filter-order =
    The value is less than this number or text. $lte, $gt and $gte work alike. A dot leads into an
    object.
events-filter-in = The value is one of these. $nin: it is none of these.
events-filter-not = The value exists and is not this.
events-filter-exists = The value exists. With false: it does not.
events-filter-or = At least one of these sets of conditions is met.
# Next to the filter of an event that was stored before filters were obeyed. $rule: what is wrong
# with it, such as “at disk: must not be a list”.
events-filter-unknown = This filter is not understood, so the event does not run its task: { $rule }
events-form-context = Context (optional)
events-form-context-hint =
    A JSON object for the message of the task, which shows it as the variable “context”, and a part
    of it by a path such as context.zone.
events-form-label = Label (optional)
events-form-label-hint = Your name for this event in lists.
events-form-enabled = Enabled
events-create = Create event
events-save = Save event

## Errors of fields

events-choose-event = Choose the event.
events-choose-object = Choose the object.
events-choose-tag = Choose the tag.
events-choose-task = Choose the task to run.
events-unknown-task = This task does not exist.
events-unknown-target = There is no such object or tag.

## The page that asks before an event is deleted

events-delete-title = Delete this event?
# $name: events-name. $target: what it applies to. $task: the name of its task.
events-delete-question =
    “{ $name }” ({ $target }) will no longer run the task { $task }. The task itself is kept.
events-delete-button = Delete event

## The page that asks before an event is triggered

events-trigger-title = Trigger this event?
# $name: events-name. $target: what it applies to. $task: the name of its task.
events-trigger-question =
    Triggering { $name } ({ $target }) runs the task { $task } now, as if the event had happened. The
    message is really sent. The filter of the event is not applied.
# The event brings variables, with their samples in the fields below, or data, or both, or nothing.
events-trigger-samples = It brings these variables, with sample values from the event catalog.
events-trigger-samples-data =
    It brings these variables and data, with sample values from the event catalog.
events-trigger-data = It brings data, with sample values from the event catalog.
events-trigger-nothing = It brings no variables and no data.
events-trigger-disabled = The task of this event is disabled, so the event cannot be triggered.
events-trigger-once = The task of this event is deleted after it has run.
# Below the heading tasks-preview.
events-trigger-preview-hint = The message as it will be sent.
events-trigger-button = Trigger event
# Above the errors of the form.
events-trigger-refused = Nothing was triggered.

## The catalogue: what can happen on the platform

# $date, $timestamp, $random, $name, $type, $event: variables as they are written in a message.
events-catalog-intro =
    These are the events that can run a task. With each of them, a message can use { $date },
    { $timestamp }, { $random }, { $name }, { $type } and { $event }, and the variables that are
    listed with the event.
events-catalog-description = Description
events-catalog-samples = Sample values
# Opens to the JSON Schema of the data, which is code.
events-catalog-schema = JSON Schema of the data
events-catalog-back = Back to events
# After the name of a type as the API has it.
events-catalog-platform = Applies to the platform as a whole, not to an object or a tag.
events-catalog-object-or-tag = Applies to one object, or to all objects with a tag.
events-catalog-any = Applies to one object, to all objects with a tag, or to all objects.
