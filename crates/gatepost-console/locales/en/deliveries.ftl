### Deliveries: what was sent, what is waiting, and the outcome of each attempt.

deliveries-title = Deliveries

# On a badge next to the state: a user sent this delivery to test a task.
deliveries-test = Test

## The reason why a delivery waits: a phrase next to its state.

deliveries-running-attempt = attempt { $number } in progress
deliveries-held-disabled = held: webhook is disabled
deliveries-held-paused = held: webhook is paused
deliveries-held-fetch = waiting: the receiver has not fetched it yet
deliveries-held-owner = held: the owner's account is disabled
# The webhook sends its messages one after another.
deliveries-held-behind = in order, behind #{ $id }
# $span: a duration such as "4.2 s".
deliveries-held-target = held: the target is unreachable, retrying in { $span }
deliveries-held-rate = waiting: the rate limit of the webhook is reached
deliveries-held-room = waiting: the maximum number of requests is in flight
deliveries-due = waiting for its turn
# $when: a distance such as "in 59 minutes".
deliveries-first-attempt = first attempt { $when }
deliveries-retry-due = retrying, next attempt now
deliveries-retry = retrying, next attempt { $when }
# $number: which retry this is. $of: how many the webhook allows.
deliveries-retry-of-due = retry { $number } of { $of }, next attempt now
deliveries-retry-of = retry { $number } of { $of }, next attempt { $when }

## The cause of a delivery

# $type: a type of events, such as "Virtual machines". $event: an event, such as "powered on".
deliveries-cause-event = { $type }: { $event }
# $name: the name of the object that the event is about. $number: its number.
deliveries-cause-object = { $name } (#{ $number })
deliveries-cause-run = Run manually
deliveries-cause-sent = Sent manually
deliveries-cause-unknown = Not recorded
# In place of the name of a task that no longer exists.
deliveries-cause-deleted-task = Deleted task

## Headings of columns, and names of facts.

deliveries-cause = Event
deliveries-occurrence-id = Occurrence ID
deliveries-run-by = Run by
deliveries-task = Task
deliveries-trace = Trace ID
deliveries-data = Event data
deliveries-data-cut = (the first 1,024 bytes)
deliveries-webhook = Webhook
deliveries-state = State
# The status code of the HTTP response.
deliveries-status = Status
deliveries-duration = Duration
deliveries-attempts = Attempts
# When the delivery was queued.
deliveries-queued = Queued
deliveries-message-id = Message ID

## The list

# The line above the table. Deliveries are counted up to a bound.
deliveries-count =
    { $count ->
        [one] { $count } delivery
       *[other] { $count } deliveries
    }
deliveries-count-matching =
    { $count ->
        [one] { $count } matching delivery
       *[other] { $count } matching deliveries
    }
# There are more than are counted.
deliveries-count-more = { $count }+ deliveries
deliveries-count-matching-more = { $count }+ matching deliveries
# The count took long and stopped. $time: when the last delivery that was looked at was queued.
# The list is newest first.
deliveries-count-back =
    { $count ->
        [one] At least { $count } delivery, counted back to { $time }.
       *[other] At least { $count } deliveries, counted back to { $time }.
    }
# The same if the list is oldest first.
deliveries-count-up =
    { $count ->
        [one] At least { $count } delivery, counted up to { $time }.
       *[other] At least { $count } deliveries, counted up to { $time }.
    }
deliveries-count-least =
    { $count ->
        [one] At least { $count } delivery
       *[other] At least { $count } deliveries
    }
# A text is searched for: only the matches of this page are known.
deliveries-count-page =
    { $count ->
        [one] { $count } match on this page. A search does not count matches on other pages.
       *[other] { $count } matches on this page. A search does not count matches on other pages.
    }
deliveries-newer =
    { $count ->
        [one] Show { $count } newer delivery
       *[other] Show { $count } newer deliveries
    }
deliveries-newer-many = Show more than { $count } newer deliveries
deliveries-searching-title = No matches yet
deliveries-searching-text =
    No delivery searched so far matches the filter. A time range makes the search faster.
# A search that took long stopped. $time: when the last delivery that was searched was queued.
deliveries-searched = Searched back to { $time }.
# The same if the oldest are searched first.
deliveries-searched-up = Searched up to { $time }.
# The link that continues from there.
deliveries-search-further = Search further
deliveries-none-title = No deliveries yet
deliveries-none-text =
    This page lists what webhooks have sent, the responses, and what is waiting to be retried.
    Run a task manually, or wait for an event.
deliveries-none-link = How webhooks, tasks and events work together
deliveries-no-match-title = No matching deliveries
deliveries-no-match-text = No delivery matches the filter.
deliveries-no-match-link = All deliveries

## The filter

# Names the form for screen readers.
deliveries-filter = Filter deliveries
deliveries-filter-button = Filter
deliveries-filter-more = More filters
# The choice that does not filter.
deliveries-filter-all = All
deliveries-form-webhook = Webhook
deliveries-form-task = Task
deliveries-form-class = Last failure
deliveries-form-state = State
deliveries-form-status = HTTP status
deliveries-form-from = Queued from
deliveries-form-before = Queued before
deliveries-form-id = Message or occurrence ID
deliveries-form-id-hint = The whole ID or its beginning.
# Below the filter, about the field "Search".
deliveries-filter-text-hint = Searches messages, message IDs, occurrence IDs and results.

## How an attempt failed, on a coloured badge and in lists to choose from.

# On the badge of an attempt that did not fail.
deliveries-class-ok = ok
# The request could not be built.
deliveries-class-build = request
# The connection could not be established.
deliveries-class-connect = connection
deliveries-class-dns = DNS
# The response is not valid HTTP.
deliveries-class-protocol = protocol
deliveries-class-proxy = proxy
# Requests to this target are not allowed.
deliveries-class-refused = target not allowed
# The connection was closed before a response came.
deliveries-class-reset = connection reset
# The status of the response is not 2xx.
deliveries-class-status = HTTP status
deliveries-class-timeout = timeout
deliveries-class-tls = TLS
deliveries-class-token = no access token
deliveries-class-too-large = response too large

## The page of a delivery

# $id: the number of the delivery.
deliveries-one = Delivery #{ $id }
deliveries-replay = Replay
# In a menu; the page that it leads to asks further.
deliveries-replay-others = Replay deliveries of this webhook…
# Names the next two links for screen readers: to the deliveries of the same webhook around this one.
deliveries-neighbours = Deliveries of the same webhook
deliveries-neighbour-newer = Newer delivery
deliveries-neighbour-older = Older delivery
# The sentence below the title: how it ended, and what happens next. $answer: one of the two texts
# below. $next: what it waits for, such as "retry 2 of 5, next attempt in 27 seconds".
deliveries-said-sent = { $answer }.
deliveries-said-ended = { $answer }. No further attempt will be made.
deliveries-said-next = { $answer }; { $next }.
deliveries-said-first = { $next }.
# $status: such as "404 Not Found". $times: how many attempts in a row got it.
deliveries-said-answer =
    { $times ->
        [one] The target answered { $status }
       *[other] The target answered { $status } { $times } times
    }
# There was no answer. $result: why, such as "timeout while connecting".
deliveries-said-result = Result: { $result }
deliveries-retry-now = Retry now
# A link to the page that asks before the delivery is cancelled.
deliveries-cancel = Cancel
# A link to the delivery that is sent before this one.
deliveries-see = See #{ $id }
deliveries-attempts-since-replay = { $all } in total, { $since } since the last replay
deliveries-done-replayed = The delivery was queued again with the same message and ID.
deliveries-done-retried = The next attempt is due now.
deliveries-done-cancelled = The delivery was cancelled.
deliveries-done-tested = The test was queued. Its request and response are shown below.
deliveries-changed = The state of the delivery no longer allows this. Go back and reload the page.

## The page that asks before a delivery is cancelled

deliveries-cancel-title = Cancel delivery #{ $id }?
deliveries-cancel-first = Delivery #{ $id } will not be sent. Its state becomes { $state }.
deliveries-cancel-again = Delivery #{ $id } will not be sent again. Its state becomes { $state }.
deliveries-cancel-kept = It can be replayed later.
deliveries-cancel-button = Cancel delivery
# The way back, next to it.
deliveries-cancel-back = Keep delivery

## The message of a delivery

deliveries-message-raw = Message as sent
deliveries-message-lost =
    Not kept: the delivery log was full when the delivery ended. The delivery cannot be
    replayed.
# $link: deliveries-message-download.
deliveries-message-cut = Only the beginning is shown. { $link }
deliveries-message-download = Download message
# The buttons that copy: the words on the button, and what screen readers say.
deliveries-copy = Copy
deliveries-copy-message = Copy the message
deliveries-copy-response = Copy the response

## The request of a delivery

deliveries-request = Request
deliveries-request-headers =
    { $count ->
        [one] { $count } header, credentials hidden
       *[other] { $count } headers, credentials hidden
    }
deliveries-request-none = No request has been sent, or it was not kept.
deliveries-curl = curl command
deliveries-curl-planned = Based on the current settings of the webhook.
deliveries-curl-copy = Copy as curl
# $placeholder: stands in the command for a password or another secret.
deliveries-curl-hint = Replace each { $placeholder }. A signature is valid for a few minutes.
# $file: the name of the downloaded file.
deliveries-curl-hint-file =
    Replace each { $placeholder }. A signature is valid for a few minutes. Download the message
    to { $file } first.

## The attempts of a delivery

# The heading of the response to an attempt. $number: of the attempt.
deliveries-response = Response to attempt { $number }
deliveries-headers =
    { $count ->
        [one] { $count } header
       *[other] { $count } headers
    }
deliveries-timing = Timing
# $span: a duration such as "4.2 s".
deliveries-timing-total = { $span } in total
# Next to the heading "Attempts".
deliveries-attempts-order = newest first
deliveries-attempts-none = None yet.
deliveries-attempt-number = Attempt { $number }
deliveries-attempts-earlier =
    { $earlier ->
        [one] The newest { $shown } attempts are shown. There is { $earlier } earlier attempt.
       *[other] The newest { $shown } attempts are shown. There are { $earlier } earlier attempts.
    }
# In place of the request and the response.
deliveries-attempt-lost = Request and response were not kept.
deliveries-attempt-no-response = No response.
deliveries-attempt-no-body = The response has no body.
deliveries-attempt-truncated = Response truncated.
deliveries-attempt-raw = Raw response

## The phases of an attempt

deliveries-phase-dns = DNS lookup
deliveries-phase-connect = Connecting
deliveries-phase-tls = TLS
deliveries-phase-wait = Waiting
deliveries-phase-read = Reading

## The page that replays deliveries of a webhook

deliveries-replay-title = Replay deliveries
# $webhook: its name.
deliveries-replay-title-of = Replay deliveries of { $webhook }
deliveries-replay-select = Select deliveries
deliveries-replay-state-error = failed
deliveries-replay-state-sent = sent
deliveries-replay-state-both = failed and sent
deliveries-replay-count = Count
deliveries-replay-none = Nothing to replay: no matching delivery was queued in this period.
deliveries-replay-none-yet =
    No matching delivery was found among those that were searched. Choose a shorter period.
deliveries-replay-will =
    { $count ->
        [one] { $count } delivery will be sent again, with the same message and ID.
       *[other] { $count } deliveries will be sent again, with the same messages and IDs.
    }
deliveries-replay-will-more =
    { $count } or more deliveries will be sent again, with the same messages and IDs.
deliveries-replay-button =
    { $count ->
        [one] Replay { $count } delivery
       *[other] Replay { $count } deliveries
    }
deliveries-replay-button-more = Replay { $count } or more deliveries
deliveries-replay-batch = The oldest { $count } are replayed first. The page then counts the rest.
deliveries-replay-done-none = Nothing to replay: no delivery was queued again.
deliveries-replay-done =
    { $count ->
        [one] { $count } delivery was queued again.
       *[other] { $count } deliveries were queued again.
    }
# $webhook: its name.
deliveries-replay-back = Back to { $webhook }
