### Texts that all pages share.

## Numbers

# Not shown: how this language writes 1234567.8 and 1234, with its digits and what stands between
# them. All numbers are written alike.
frame-number-long = 1,234,567.8
frame-number-short = 1,234
# $share: such as 99.7
frame-percent = { $share }%

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

# The states of a delivery, everywhere.
frame-state-queued = Waiting
frame-state-running = Running
frame-state-sent = Delivered
frame-state-error = Failed
# It failed, and is tried again.
frame-state-retrying = Retrying
# It is not sent for now, such as while its webhook is paused.
frame-state-held = Held

## Lists and forms

frame-pages = Pages
frame-first-page = First page
frame-next-page = Next page
frame-cancel = Cancel
# A menu of buttons that are rarely used, for screen readers.
frame-more-actions = More actions
# Next to the reason why a deletion was refused.
frame-nothing-deleted = Nothing was deleted.
# Above the errors of a form.
frame-nothing-saved = Nothing was saved.
# After why nothing was saved; a list of fields and their errors follows.
frame-correct = Correct the following:
frame-picker-choose = Choose…
# A field for the id of a row, if the platform has no list of them.
frame-picker-number = { $label } (id)
# A field that searches the rows of a list, if there are too many. $label: of the list.
frame-picker-find = Search: { $label }
# $number: of the row, from 1.
frame-row-up = Move row { $number } up
frame-row-down = Move row { $number } down
frame-row-remove = Remove row { $number }
frame-row-add = Add row

## Names of fields, in lists of errors

frame-field-name = Name
frame-field-description = Description
frame-field-expires = Expires
frame-field-user = User
frame-field-allow = IP allow list
frame-field-deny = IP deny list
frame-field-tables = Tables
frame-field-scopes = Scopes
frame-field-url = URL
frame-field-auth = Authorization
frame-field-header = Headers
frame-field-headers-text = Headers
frame-field-timeout = Timeout
frame-field-retries = Retries
frame-field-retry-schedule = Retry schedule
frame-field-channels = Channels
frame-field-rate = Requests per second
frame-field-unsign = Signing secrets
frame-field-message = Message
frame-field-webhook = Webhook
frame-field-event = Event
frame-field-target = Applies to
frame-field-instance = Object
frame-field-object = Object
frame-field-tag = Tag
frame-field-task = Task
frame-field-requests-per-minute = Requests per minute
frame-field-overlap = The old key ends
frame-field-token = Token
frame-field-key = Key
frame-field-password = Password
frame-field-oauth-token-url = Token URL
frame-field-oauth-client-id = Client ID
frame-field-oauth-scope = Scopes
frame-field-oauth-secret = Client secret
frame-field-oauth-client-auth = Client authentication
frame-field-client-certificate = Client certificate
frame-field-client-key = Private key
frame-field-delivery-mode = Delivery
frame-field-filter = Filter
frame-field-context = Context
frame-field-label = Label
frame-field-leaked = Text
frame-field-then = If keys are found

## The frame of each page

# Leads keyboard users past the navigation.
frame-skip = Skip to content
# Names the navigation for screen readers.
frame-navigation = Console
# Names the links to the pages above this one for screen readers.
frame-trail = Breadcrumb
# The user's name, for screen readers. $name: that name.
frame-logged-in-as = Logged in as { $name }
# A key was in the address of this page, such as one that was typed into a search.
frame-key-withheld =
    That was a complete API key. The search used only its first characters, which are not secret. The
    key may have been recorded in a server's log: if others can read that log, replace the key.
frame-log-out = Log out
frame-section-dashboard = Overview
frame-section-keys = API keys
frame-section-webhooks = Webhooks
frame-section-tasks = Tasks
frame-section-events = Events
frame-section-deliveries = Deliveries
frame-section-changes = Audit log
frame-section-users = Users

## Texts of the script

frame-script-copied = Copied.
frame-script-selected = Your browser did not allow copying. The text is selected: copy it with the keyboard.
frame-script-added = Row added.
frame-script-removed = Row removed.
# $value: a number, from 1.
frame-script-moved = Row moved to position { $value }.
# Next to a date field. $value: a time zone, such as Europe/Berlin.
frame-script-zone = (your time zone, { $value })
frame-script-ended = Your session has ended.
frame-script-login = Log in
frame-script-gone = The content of this page is no longer available.
frame-script-reload = Reload
frame-script-lost = Connection lost, trying again…

## Pages for what failed: the title, and the text below it

frame-failure-not-found = Not found
frame-failure-not-found-text = This page does not exist, or what it showed has been deleted.
frame-failure-not-a-page = Not a page
frame-failure-not-a-page-text = This address only receives forms. Nothing was changed.
frame-failure-not-allowed = Not allowed
frame-failure-forbidden-text = Your account does not allow this.
frame-failure-nothing-changed = Nothing was changed
frame-failure-forged-text = The form was not sent from a page of your current session. Go back, reload the page, and try again.
frame-failure-earlier-session-text = The form was opened in an earlier session. Your entries are kept on this page.
frame-failure-logged-out = Logged out
# $login: the link "Log in again".
frame-failure-logged-out-text = Your session has ended, and nothing was changed. { $login }.
frame-failure-logged-out-kept-text = Your session has ended, and nothing was changed. Your entries are kept on this page, except for passwords and other secrets.
# The first of two steps. $login: the link "Log in in a new tab".
frame-failure-log-in-first-text = { $login }, then come back to this one.
frame-log-in-again = Log in again
frame-log-in-new-tab = Log in in a new tab
# The console is opened by a link that the platform gives.
frame-link-open = Open the console
# $user: the name of the user who is logged in by it.
frame-link-open-text = You will be logged in as { $user }.
frame-link-used = This link is no longer valid
frame-link-used-text = A link opens the console once, within a minute. Get a new one where you got this one.
frame-link-needed = Not logged in
frame-link-needed-text = The console is opened by a link. Get one where you got the last one.
frame-failure-too-large = Too large
frame-failure-too-large-text = The form is too large. Nothing was changed.
# $field: its name; $rule: a sentence, such as "Must have at most 100 entries."
frame-failure-too-much-text = { $field }: { $rule } Nothing was changed.
frame-failure-in-use = Tasks still use this webhook.
# $tasks: the names of the first of them. $more: how many more there are.
frame-failure-in-use-by =
    { $more ->
        [0] These tasks use the webhook: { $tasks }.
       *[other] These tasks use the webhook: { $tasks } and { $more } more.
    }
# $field: its name; $rule: a sentence, such as "Is required."
frame-failure-invalid = { $field }: { $rule }
frame-failure-unreadable = This record cannot be read. It can only be deleted.
frame-failure-changed = The record has changed and no longer allows this.
frame-failure-too-many = Too many requests
frame-failure-not-possible = Not possible
frame-failure-unavailable = Temporarily unavailable
frame-failure-unavailable-text = The request could not be completed. Try again in a moment.
frame-failure-internal = Something went wrong
frame-failure-internal-text = An internal error occurred. The server log has the details.
# $section: such as "Webhooks".
frame-go-to = Go to { $section }
frame-back-to-webhook = Back to the webhook
frame-back-to-delivery = Back to the delivery
