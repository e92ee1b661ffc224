### Changes: who changed what, and when.

# The button on the page of a record that leads to its changes.
changes-title = Changes
changes-none-title = No changes yet
changes-none-text =
    This list shows who created, changed or deleted keys, webhooks, tasks and events, and who
    replayed or cancelled deliveries.
# For administrators of the system.
changes-lost =
    { $count ->
        [one] One change was not logged since this process started: the store did not keep up.
       *[other]
            { $count } changes were not logged since this process started: the store did not keep up.
    }

## The columns

changes-when = When
changes-who = Changed by
changes-what = Action
changes-record = Record
changes-fields = Changed

## A row

# $id: the row number of an API key.
changes-by-key = by key { $id }
# A record without a name. $id: its row number.
changes-unnamed = no. { $id }
# Follows the record. $user: whose it is.
changes-of = of { $user }
# Follows the name of a field whose values are secret or large.
changes-hidden = changed
# A value that is empty.
changes-empty = empty

## Kinds of records

lists-changes-state-user-api-keys = API key
lists-changes-state-webhook-urls = Webhook
lists-changes-state-tasks = Task
lists-changes-state-task-events = Event
lists-changes-state-webhooks = Delivery

## Actions

changes-did-cancel = Cancelled
changes-did-create = Created
changes-did-delete = Deleted
changes-did-disable = Disabled
changes-did-enable = Enabled
changes-did-pause = Paused
changes-did-replay = Replayed
changes-did-resume = Resumed
changes-did-retry = Sent now
changes-did-roll = Rolled
changes-did-rotate-secret = Signing secret changed
changes-did-run = Run
changes-did-send = Message queued
changes-did-send-test = Test sent
changes-did-test = Tested
changes-did-trigger = Triggered
changes-did-update = Edited

## How the list is searched

lists-changes-search = Search changes
lists-changes-searched = Searches names, actions, fields and values.
lists-changes-count =
    { $count ->
        [one] { $count } change
       *[other] { $count } changes
    }
lists-changes-more = { $count }+ changes
lists-changes-matches =
    { $matching ->
        [0]
            { $count ->
                [one] No matches in { $count } change
               *[other] No matches in { $count } changes
            }
        [one]
            { $count ->
                [one] { $matching } of { $count } change matches
               *[other] { $matching } of { $count } changes matches
            }
       *[other] { $matching } of { $count } changes match
    }
lists-changes-too-many = More than { $count } changes cannot be searched, filtered or sorted together.
lists-changes-only-record = Only the changes of one record are listed.
lists-changes-only-by = Only the changes made by one user are listed.
lists-changes-narrow-record = Open the changes of one record, from its page.
lists-changes-narrow-by = Open the changes made by one user.
