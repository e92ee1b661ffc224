### API keys: their list, forms and pages, the popup that shows a new key, and the page of a user.

## The list

keys-title = API keys
# On the first page, if keys expire within 14 days or were refused today or yesterday.
keys-review-title = API keys to look at
keys-review-all = All
keys-review-refused =
    { $count ->
        [one] refused once since yesterday
       *[other] refused { $count } times since yesterday
    }
# The keys of one user.
keys-title-of = API keys of { $user }
# A user without a name: within a sentence or in a table, and as the title of the user's page.
keys-user-unnamed = user { $id }
keys-user-unnamed-title = User { $id }
keys-all = All keys
# A link to the form of a new key.
keys-new = New API key
keys-none-title = No API keys yet
keys-none-text =
    An API key lets a script, pipeline or other tool use the API with your permissions, without
    logging in. The key is shown once, when it is created.
keys-done-saved = The key was saved. The key string has not changed.
keys-done-deleted = The key was deleted. Requests that use it are now refused.

# Headings of columns, labels on narrow screens, and names of facts on the page of a key.
keys-name = Name
keys-owner = Owner
keys-expires = Expires
keys-last-login = Last logged in
keys-last-login-ip = Last logged in IP
keys-created = Created
keys-ip-lists = IP lists
keys-state = State
# The heading of the column of buttons, for screen readers.
keys-actions = Actions
# Links next to a key, and the same for screen readers. $name: the name of the key.
keys-edit = Edit
keys-delete = Delete
keys-edit-of = Edit { $name }
keys-delete-of = Delete { $name }
# Instead of a time: the key was not used.
keys-login-never = never
# Instead of a date: the key does not expire.
keys-expires-never = never
# The days that are left.
keys-days =
    { $count ->
        [one] { $count } day
       *[other] { $count } days
    }
# The first entries of the key's IP lists, such as "10.0.0.0/8, 192.168.1.5", and how many more there
# are.
keys-allow = Allow: { $entries }
keys-allow-more = Allow: { $entries } and { $count } more
keys-deny = Deny: { $entries }
keys-deny-more = Deny: { $entries } and { $count } more
# A key without IP lists.
keys-any-address = any address

## States of a key

keys-active = active
keys-expired = expired
keys-disabled = disabled
keys-gone = deleted
# The permissions of a key that may not do everything: only read, or use some tables and scopes.
keys-read-only = read-only
keys-limited = limited
# Reasons to look at a key in a review.
keys-never-used = never used
keys-unused =
    { $count ->
        [one] unused for { $count } day
       *[other] unused for { $count } days
    }
keys-expiring = expires soon
# In words, on the page of a key.
keys-expiry-never = never expires
keys-expiry-in =
    { $count ->
        [one] expires in { $count } day
       *[other] expires in { $count } days
    }
# $distance: how long ago, such as "3 minutes ago" or "now".
keys-expiry-past = expired { $distance }
# $expiry: such as "expires in 3 days". $time: such as 2026-11-21 02:04 UTC.
keys-expiry-at = { $expiry } ({ $time })

## The form

keys-new-title = New API key
keys-create = Create key
keys-edit-title = Edit { $name }
keys-save = Save key
keys-edit-text = Editing does not change the key string. Changes take effect immediately.
keys-edit-expired = This key has expired and can no longer be edited. Delete it and create a new one.
keys-form-name = Name
keys-form-name-hint = The program that uses the key, for example a pipeline.
keys-form-description = Description (optional)
keys-form-user = Owner
keys-form-user-hint = The key has the permissions of this user.
keys-form-expires-type = Expires
# Choices of when the key expires.
keys-form-expires-in = In { $count } days
keys-form-expires-date = Set date
keys-form-expires-never = Never expire
keys-form-keep = Keep: { $time }
keys-form-keep-never = Keep: never
keys-form-expires = Date and time
keys-form-addresses = Allowed addresses
keys-form-addresses-text =
    IP addresses and CIDR ranges from which the key can be used. If there is an allow list, only its
    enabled entries can use the key, and the deny list is ignored. Otherwise, any address can use it,
    except for the enabled entries of the deny list.
keys-form-allow = IP allow list (optional)
keys-form-deny = IP deny list (optional)
# Labels of the fields of one entry. $number: its position in the list.
keys-form-entry = Entry { $number }
keys-form-entry-enabled = Entry { $number } enabled
# Shown in the empty field of an entry.
keys-form-entry-example = 10.0.0.0/8 or 192.168.1.5
# Next to the box that enables an entry.
keys-form-enabled = Enabled
keys-form-grant = Permissions
keys-form-grant-text = A key never has more permissions than its owner. You can give it fewer.
keys-form-read-only = Read-only
keys-form-read-only-hint = The key can read, but not create, change, delete or run anything.
# Boxes with the names of tables of the API, and of scopes of the platform.
keys-form-tables = Only these tables (optional)
keys-form-tables-hint = If you select any table or scope, the key can use only what you select.
keys-form-scopes = Only these scopes (optional)
keys-form-requests-per-minute = Requests per minute (optional)
keys-form-requests-per-minute-hint = Further requests get status 429 until the next one is allowed. Each process of the platform counts on its own.
# $count is the most requests per minute that any key may make.
keys-form-requests-most = At most { $count }. Further requests get status 429 until the next one is allowed. Each process of the platform counts on its own.

## Errors of the form

keys-problem-owner = Choose a user.
keys-problem-owner-unknown = This user does not exist.
keys-problem-owner-forbidden = You cannot manage the keys of this user.
keys-problem-name-taken = This user already has a key with this name.
keys-problem-expires = Choose when the key expires.
keys-problem-date = Enter a date and time.
# 2027-01-31T18:00 is the form in which it is read.
keys-problem-date-unreadable = Enter a date and time such as 2027-01-31T18:00.
# $rule: what is wrong, such as "is not an IPv4 or IPv6 address": a text of rules.ftl.
keys-problem-entry = Entry { $number } { $rule }
keys-problem-entries = Must have at most { $count } entries.
keys-submitted-title = Form already submitted
keys-submitted =
    This form has already created a key, and the key was shown then. If you did not keep it, delete
    the key and create a new one. { $link }
keys-submitted-link = Go to API keys

## The popup that shows a new key once

keys-once-title = Your new API key
keys-once-advice =
    This is the only time that the key is shown. Copy or save it now, and treat it like a password.
    If you lose it, delete the key and create a new one.
keys-once-name = Name: { $name }
keys-once-try = Try it in a terminal
keys-once-copy-command = Copy command

## The page of a key

# Names of facts. The others are those of the columns.
keys-key = Key
keys-description = Description
keys-expiration = Expiration
keys-requests = Requests
# $count is a number of requests.
keys-requests-most = at most { $count } per minute
# After the visible part of the key.
keys-key-rest = The rest was shown once, when the key was created.
keys-addresses = Allowed addresses
keys-addresses-any = The key can be used from any address.
keys-allow-list = IP allow list
keys-deny-list = IP deny list
keys-entry-disabled = { $entry } (disabled)
# An entry of an IP list in the list of keys, when the mouse points at it.
keys-entry-is-disabled = disabled

# Permissions of the key.
keys-grant-all = The key has all permissions of its owner.
keys-grant-read-only = The key can only read.
keys-grant-tables = Tables: { $names }
keys-grant-scopes = Scopes: { $names }
keys-grant-only = The key can use only these:
keys-is-disabled = This key is disabled: requests that use it are refused as if it had been deleted.
# Next to the name of the other key.
keys-rolled-from = Replaces
keys-rolled-to = Replaced by
keys-rolled-gone = a deleted key
# Buttons, and what is said after them.
keys-roll = Roll
keys-disable = Disable
keys-enable = Enable
keys-done-disabled = The key was disabled. Requests that use it are now refused.
keys-done-enabled = The key was enabled. Requests that use it are accepted again.

## The question before a key is disabled

keys-disable-title = Disable this API key?
keys-disable-text =
    Requests that use the key { $name } ({ $hint }) will be refused until you enable it again. The key
    string stays the same.
keys-disable-button = Disable key

## The question before a key is rolled

keys-roll-title = Roll this API key?
keys-roll-text =
    A new key replaces { $name } ({ $hint }), with the same settings and the next name. Both
    work until the old key ends.
keys-roll-overlap = The old key ends
keys-roll-now = Now
keys-roll-hour = In one hour
keys-roll-day = In one day
keys-roll-week = In 7 days
keys-roll-month = In 30 days
keys-roll-button = Create new key
keys-problem-overlap = Choose when the old key ends.
keys-problem-rolled = This key has already been rolled. Roll the key that replaced it.

## Keys in a text that got out

keys-leaked = Leaked keys
keys-leaked-title = Leaked keys
keys-leaked-text =
    Paste a log, a file or a message that may contain API keys. It is searched and not kept. The owner
    of each key in it is notified.
keys-leaked-field = Text
keys-leaked-field-hint = At most 1 MiB, with at most 1,000 keys.
keys-leaked-then = If keys are found
keys-leaked-report = Only notify the owners
keys-leaked-disable = Disable the keys
keys-leaked-delete = Delete the keys
keys-leaked-button = Find keys
keys-leaked-none = The text contains no API key.
keys-leaked-found =
    { $count ->
        [one] The text contains { $count } API key.
       *[other] The text contains { $count } API keys.
    }
keys-leaked-shown = The first { $count } are shown.
# The action on a key.
keys-leaked-done = Action taken
keys-leaked-done-report = Owner notified
keys-leaked-done-disable = Disabled
keys-leaked-done-delete = Deleted
keys-problem-leaked = Paste the text.
keys-problem-leaked-then = Choose what happens to the keys.

## The question before leaked keys are disabled or deleted, and what was done. $count:
## how many.

keys-leaked-disable-title =
    { $count ->
        [one] Disable this leaked API key?
       *[other] Disable these { $count } leaked API keys?
    }
keys-leaked-disable-question =
    { $count ->
        [one] The text contains this API key. Requests that use it will be refused until the key is enabled again.
       *[other] The text contains these API keys. Requests that use them will be refused until each key is enabled again.
    }
keys-leaked-disable-button =
    { $count ->
        [one] Disable key
       *[other] Disable { $count } keys
    }
keys-leaked-delete-title =
    { $count ->
        [one] Delete this leaked API key?
       *[other] Delete these { $count } leaked API keys?
    }
keys-leaked-delete-question =
    { $count ->
        [one] The text contains this API key. Requests that use it will be refused. This cannot be undone.
       *[other] The text contains these API keys. Requests that use them will be refused. This cannot be undone.
    }
keys-leaked-delete-button =
    { $count ->
        [one] Delete key
       *[other] Delete { $count } keys
    }
# Goes back without disabling or deleting.
keys-leaked-keep = Keep them
keys-leaked-disable-ended =
    { $count ->
        [0] No API key was disabled.
        [one] { $count } API key was disabled.
       *[other] { $count } API keys were disabled.
    }
keys-leaked-delete-ended =
    { $count ->
        [0] No API key was deleted.
        [one] { $count } API key was deleted.
       *[other] { $count } API keys were deleted.
    }

## The question before a key is deleted

keys-delete-title = Delete this API key?
keys-delete-text =
    Requests that use the key { $name } ({ $hint }) will be refused. This cannot be undone.
keys-delete-button = Delete key

## The page of a user

# The list of users: the headings of their names and ids, and the button of the form for an id.
keys-user = User
keys-user-number = ID
keys-user-open = Show user
keys-user-disabled = This user is disabled: the keys are refused, and the webhooks send nothing.
keys-user-keys = API keys
keys-user-access = Access level
keys-user-access-text = { $level }. The user's keys have the same permissions.
keys-level-user = User
keys-level-tenant = Tenant administrator
keys-level-system = System administrator
keys-level-other = Other
# The user's other records: the name of a list, and how many records it has. For screen readers the
# number is said with what is counted.
keys-user-webhooks = Webhooks
keys-user-webhooks-count =
    { $count ->
        [one] { $count } webhook of this user
       *[other] { $count } webhooks of this user
    }
keys-user-tasks = Tasks
keys-user-tasks-count =
    { $count ->
        [one] { $count } task of this user
       *[other] { $count } tasks of this user
    }
keys-user-events = Events
keys-user-events-count =
    { $count ->
        [one] { $count } event of this user
       *[other] { $count } events of this user
    }

## How much a key is used, on its page

keys-uses-title = Usage
# Uses of the last 30 days; a refused use is one with the right secret that was not let in.
keys-uses-none = Not used in the last 30 days.
keys-uses-total =
    { $count ->
        [one] Used once in the last 30 days.
       *[other] Used { $count } times in the last 30 days.
    }
keys-uses-only-refused =
    { $refused ->
        [one] Not used in the last 30 days. Refused once.
       *[other] Not used in the last 30 days. Refused { $refused } times.
    }
keys-uses-total-refused =
    { $count ->
        [one] { $refused ->
            [one] Used once in the last 30 days. Refused once.
           *[other] Used once in the last 30 days. Refused { $refused } times.
        }
       *[other] { $refused ->
            [one] Used { $count } times in the last 30 days. Refused once.
           *[other] Used { $count } times in the last 30 days. Refused { $refused } times.
        }
    }
# Names the links to 7, 30 and 90 days for screen readers.
keys-uses-ranges = Days shown
keys-uses-chart = Uses per day
keys-uses-chart-said = Uses and refusals per day, last { $count } days. The table below has all numbers.
# The legend of the chart.
keys-uses-used = used
keys-uses-refused = refused
keys-uses-refused-text = Refused means that the key itself was right, but it had expired, the address was not allowed, it was used too often, or its owner was disabled. Wrong keys are not counted. Days are in UTC.
# The end of the time axis.
keys-uses-today = today
keys-uses-table = The numbers as a table
keys-uses-day = Day (UTC)
keys-uses-column-used = Used
keys-uses-column-refused = Refused
# The row of sums.
keys-uses-all = All
keys-uses-left-out = Days without any use are left out.
