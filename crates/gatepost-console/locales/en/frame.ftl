### What all pages share.

## Times

# After a time such as 2026-11-21 02:04:07. $distance: how far away it is, such as "3 minutes ago".
frame-time-utc = UTC, { $distance }
frame-time-now = now
frame-time-seconds-ago =
    { $count ->
        [one] { $count } second ago
       *[other] { $count } seconds ago
    }
frame-time-minutes-ago =
    { $count ->
        [one] { $count } minute ago
       *[other] { $count } minutes ago
    }
frame-time-hours-ago =
    { $count ->
        [one] { $count } hour ago
       *[other] { $count } hours ago
    }
frame-time-days-ago =
    { $count ->
        [one] { $count } day ago
       *[other] { $count } days ago
    }
frame-time-in-seconds =
    { $count ->
        [one] in { $count } second
       *[other] in { $count } seconds
    }
frame-time-in-minutes =
    { $count ->
        [one] in { $count } minute
       *[other] in { $count } minutes
    }
frame-time-in-hours =
    { $count ->
        [one] in { $count } hour
       *[other] in { $count } hours
    }
frame-time-in-days =
    { $count ->
        [one] in { $count } day
       *[other] in { $count } days
    }
# How long something took.
frame-time-under-millisecond = under 1 ms
frame-time-milliseconds = { $count } ms
frame-time-seconds = { $count } s

## Deliveries

frame-state-queued = queued
frame-state-running = running
frame-state-sent = sent
frame-state-error = error

## Lists and forms

frame-pages = Pages
frame-first-page = First page
frame-next-page = Next page
frame-cancel = Cancel
# Beside the reason why a deletion was refused.
frame-nothing-deleted = Nothing was deleted.
# Above the errors of a form.
frame-nothing-saved = Nothing was saved.
# After why nothing was saved; a list of fields and their errors follows.
frame-correct = Correct the following:
frame-picker-choose = Choose…
# A field for the number of a row, where there are too many rows to choose from.
frame-picker-number = { $label } (number)
# $number: of the row, from 1.
frame-row-up = Move row { $number } up
frame-row-down = Move row { $number } down
frame-row-remove = Remove row { $number }
frame-row-add = Add row

## Names of fields, where errors are listed

frame-field-name = Name
frame-field-description = Description
frame-field-expires = Expires
frame-field-user = User
frame-field-allow = IP allow list
frame-field-deny = IP deny list
frame-field-url = URL
frame-field-auth = Authorization
frame-field-headers = Headers
frame-field-timeout = Timeout
frame-field-retries = Retries
frame-field-rate = Requests per second
frame-field-unsign = Signing secrets
frame-field-message = Message
frame-field-webhook = Webhook
frame-field-event = Event
frame-field-target = Applies to
frame-field-instance = Object
frame-field-tag = Tag
frame-field-task = Task
