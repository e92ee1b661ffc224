### Lists: the form that searches, filters and sorts, the line above the table, the links to other
### pages, and records that cannot be read.

## The form above a list

lists-search = Search
lists-state = State
lists-owner = Owner
lists-sort = Sort by
# The button that applies search, filter and order.
lists-apply = Apply
# The link that takes search, filter and order back.
lists-clear = Clear
# Choices: no filter by state, and no filter by owner.
lists-state-all = All
lists-owner-all = Everyone
lists-newest = Newest first
lists-oldest = Oldest first
lists-search-cut = Only the first { $words } words and { $characters } characters are searched for.

## The line above a table

# $found: how many rows were found, such as "312 keys" or "60 of 312 keys match".
lists-range = { $found }, showing { $first }–{ $last }
# Ways to see fewer rows, in a list below this line.
lists-narrow = To narrow the list down:
lists-narrow-owner = Choose an owner.
lists-newest-all = Show all, newest first

# A link to another page of the list.
lists-previous-page = Previous page

## The list of API keys

# The name of the form, for screen readers. The texts of the other lists are alike.
lists-keys-search = Search API keys
lists-keys-searched = Searches name, description and the visible part of the key.
lists-keys-count =
    { $count ->
        [one] { $count } key
       *[other] { $count } keys
    }
# There are more than are counted.
lists-keys-more = { $count }+ keys
# How many of all keys, $count, match the search and the filter. "0" is just that number.
lists-keys-matches =
    { $matching ->
        [0]
            { $count ->
                [one] No matches in { $count } key
               *[other] No matches in { $count } keys
            }
        [one]
            { $count ->
                [one] { $matching } of { $count } key matches
               *[other] { $matching } of { $count } keys matches
            }
       *[other] { $matching } of { $count } keys match
    }
lists-keys-too-many = More than { $count } keys cannot be searched, filtered or sorted together.

# Orders to choose from: the order of each column, and the same turned round ("-down").
lists-keys-sort-name = Name, A to Z
lists-keys-sort-name-down = Name, Z to A
lists-keys-sort-expires = Expires soonest
lists-keys-sort-expires-down = Expires latest
# By the time of the last use; keys that were never used come first.
lists-keys-sort-used = Least recently used
lists-keys-sort-used-down = Most recently used
lists-keys-sort-state = Active before expired
lists-keys-sort-state-down = Expired before active

# States to choose from.
lists-keys-state-active = Active
lists-keys-state-expiring = Expiring within 14 days
lists-keys-state-expired = Expired
lists-keys-state-disabled = Disabled
lists-keys-state-unused = Unused for 90 days
lists-keys-state-never = Never used

## The list of webhooks

lists-webhooks-search = Search webhooks
lists-webhooks-searched = Searches name, and the host and path of the URL.
lists-webhooks-count =
    { $count ->
        [one] { $count } webhook
       *[other] { $count } webhooks
    }
lists-webhooks-more = { $count }+ webhooks
lists-webhooks-matches =
    { $matching ->
        [0]
            { $count ->
                [one] No matches in { $count } webhook
               *[other] No matches in { $count } webhooks
            }
        [one]
            { $count ->
                [one] { $matching } of { $count } webhook matches
               *[other] { $matching } of { $count } webhooks matches
            }
       *[other] { $matching } of { $count } webhooks match
    }
lists-webhooks-too-many = More than { $count } webhooks cannot be searched, filtered or sorted together.

lists-webhooks-sort-name = Name, A to Z
lists-webhooks-sort-name-down = Name, Z to A
lists-webhooks-sort-url = Host, A to Z
lists-webhooks-sort-url-down = Host, Z to A
lists-webhooks-sort-timeout = Shortest timeout
lists-webhooks-sort-timeout-down = Longest timeout
lists-webhooks-sort-retries = Fewest retries
lists-webhooks-sort-retries-down = Most retries
lists-webhooks-sort-state = Failing first
lists-webhooks-sort-state-down = Failing last

lists-webhooks-state-failing = Failing
lists-webhooks-state-active = Active
lists-webhooks-state-paused = Paused
lists-webhooks-state-disabled = Disabled
lists-webhooks-state-insecure = Any certificate

## The list of tasks

lists-tasks-search = Search tasks
lists-tasks-searched = Searches name, description and webhook.
lists-tasks-count =
    { $count ->
        [one] { $count } task
       *[other] { $count } tasks
    }
lists-tasks-more = { $count }+ tasks
lists-tasks-matches =
    { $matching ->
        [0]
            { $count ->
                [one] No matches in { $count } task
               *[other] No matches in { $count } tasks
            }
        [one]
            { $count ->
                [one] { $matching } of { $count } task matches
               *[other] { $matching } of { $count } tasks matches
            }
       *[other] { $matching } of { $count } tasks match
    }
lists-tasks-too-many = More than { $count } tasks cannot be searched, filtered or sorted together.
# Said below the number of rows.
lists-tasks-only-webhook = Only the tasks of one webhook are listed.
# One of the ways to narrow a list down.
lists-tasks-narrow-webhook = Open the tasks of one webhook.

lists-tasks-sort-name = Name, A to Z
lists-tasks-sort-name-down = Name, Z to A
lists-tasks-sort-webhook = Webhook, A to Z
lists-tasks-sort-webhook-down = Webhook, Z to A
# By the time of the last run; tasks that have never run come first.
lists-tasks-sort-run = Least recently run
lists-tasks-sort-run-down = Most recently run
lists-tasks-sort-state = Enabled before disabled
lists-tasks-sort-state-down = Disabled before enabled

lists-tasks-state-enabled = Enabled
lists-tasks-state-disabled = Disabled
lists-tasks-state-once = One-time
lists-tasks-state-never = Never run

## The list of events

lists-events-search = Search events
lists-events-searched = Searches type, event and task.
lists-events-count =
    { $count ->
        [one] { $count } event
       *[other] { $count } events
    }
lists-events-more = { $count }+ events
lists-events-matches =
    { $matching ->
        [0]
            { $count ->
                [one] No matches in { $count } event
               *[other] No matches in { $count } events
            }
        [one]
            { $count ->
                [one] { $matching } of { $count } event matches
               *[other] { $matching } of { $count } events matches
            }
       *[other] { $matching } of { $count } events match
    }
lists-events-too-many = More than { $count } events cannot be searched, filtered or sorted together.
lists-events-only-task = Only the events of one task are listed.
lists-events-narrow-type = Choose a type.
lists-events-narrow-task = Open the events of one task.

lists-events-sort-type = Type, A to Z
lists-events-sort-type-down = Type, Z to A
lists-events-sort-event = Event, A to Z
lists-events-sort-event-down = Event, Z to A
lists-events-sort-task = Task, A to Z
lists-events-sort-task-down = Task, Z to A
lists-events-sort-state = Enabled before disabled
lists-events-sort-state-down = Disabled before enabled

lists-events-state-enabled = Enabled
lists-events-state-disabled = Disabled

## Records that cannot be read: written by a newer version, or sealed with a key that is lost

lists-unreadable-look = Look for records that cannot be read
lists-unreadable-none = All records can be read.
lists-unreadable-title = Unreadable records
lists-unreadable-text =
    These records cannot be read and do nothing. An operator may be able to restore them. Otherwise,
    delete them.
# $id: the number of the record. The same in all texts of this part.
lists-unreadable-webhook = Webhook { $id }
lists-unreadable-task = Task { $id }
lists-unreadable-event = Event { $id }
# The record's name follows for screen readers.
lists-unreadable-delete = Delete
# The same for screen readers. $name: such as "Webhook 12".
lists-unreadable-delete-of = Delete { $name }
lists-unreadable-webhook-question =
    Webhook { $id } cannot be read. It will be deleted with everything that belongs to it. This
    cannot be undone.
lists-unreadable-task-question =
    Task { $id } cannot be read. It will be deleted with everything that belongs to it. This cannot
    be undone.
lists-unreadable-event-question =
    Event { $id } cannot be read. It will be deleted with everything that belongs to it. This cannot
    be undone.
