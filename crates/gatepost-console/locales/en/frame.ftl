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
