### Webhooks: the addresses of other systems, and how messages are sent to them.

## The list of webhooks

webhooks-title = Webhooks
webhooks-new = New webhook
webhooks-done-deleted = The webhook and its deliveries were deleted.
webhooks-none-title = No webhooks yet
webhooks-none-text = A webhook defines where and how to send: the address of another system, and the credentials for it. A task then defines what to send, and an event defines when.
# Headings of columns; also labels of the rows of a webhook's configuration.
webhooks-column-name = Name
webhooks-column-url = URL
webhooks-column-authorization = Authorization
webhooks-column-timeout = Timeout
webhooks-column-retries = Retries
webhooks-column-state = State
webhooks-column-day = Last 24 hours
webhooks-column-last = Last delivery
# A timeout, in seconds.
webhooks-seconds-short = { $count } s
# A badge: the webhook accepts any certificate.
webhooks-insecure = insecure

## How a webhook does

# Badges: its state.
webhooks-state-active = Active
# Some deliveries of the last day failed.
webhooks-state-some-fail = Some failures
webhooks-state-failing = Failing
webhooks-state-paused = Paused
webhooks-state-disabled = Disabled
# The deliveries of the last 24 hours. $share is the percentage that was sent.
webhooks-rate-sent = { $sent } sent
webhooks-rate = { $sent } sent, { $failed } failed ({ $share } success)
# The last delivery is known by its hour only: two times of day.
webhooks-last-between = between { $from } and { $until }
webhooks-last-none = none in the last 24 hours
# How the last delivery went.
webhooks-last-sent = Delivered
webhooks-last-failed = Failed
webhooks-last-retrying = Retrying
webhooks-last-waiting = Waiting
# One of the four words above, and the reason.
webhooks-last-reason = { $outcome }: { $reason }

## Failing webhooks, on the first page

webhooks-failing-title =
    { $count ->
        [one] A webhook is failing.
       *[other] Webhooks are failing.
    }
webhooks-failing = No attempt has succeeded since the start of the previous hour:
# $webhook is a link.
webhooks-failing-attempts =
    { $count ->
        [one] { $webhook }: { $count } attempt failed
       *[other] { $webhook }: { $count } attempts failed
    }
# $link is webhooks-failing-link.
webhooks-failing-more = There may be more. { $link }
webhooks-failing-link = Go to webhooks

## Why a webhook fails, on its page

# $time: how long ago, such as "3 hours ago".
webhooks-failing-since = The last delivery succeeded { $time }.
webhooks-failing-never = No delivery has succeeded yet.
# $status: such as "503 Service Unavailable".
webhooks-failing-status = The target answers { $status }.
# $reason: such as "timeout while connecting".
webhooks-failing-reason = Last result: { $reason }.
# $when: such as "in 27 seconds".
webhooks-failing-next =
    { $count ->
        [one] { $count } delivery is being retried, next { $when }.
       *[other] { $count } deliveries are being retried, next { $when }.
    }
webhooks-failing-response = See the last response
# The page that it leads to asks further.
webhooks-failing-replay = Replay { $count } failed…

## The page of a webhook

# Names the links to the pages about a webhook for screen readers.
webhooks-tabs = Webhook
webhooks-tab-overview = Overview
webhooks-tab-deliveries = Deliveries
webhooks-tab-signing = Signing
webhooks-tab-subscriptions = Subscriptions
webhooks-tab-settings = Settings
# Screen readers say this for the button that copies the URL.
webhooks-url-copy = Copy the URL

webhooks-done-created = The webhook was created. Send a test, then create a task to define what it sends.
webhooks-done-saved = The webhook was saved. The change applies from the next attempt.
webhooks-done-retired = The old secret was removed. Deliveries are now signed with the new one only.
webhooks-done-unsigned = Deliveries are no longer signed.
webhooks-done-paused = The webhook is paused. Deliveries are queued but not sent.
webhooks-done-resumed = The webhook is active again and sends its queued deliveries.
webhooks-edit-button = Edit
webhooks-pause-button = Pause
webhooks-resume-button = Resume
webhooks-delete = Delete…
webhooks-configuration-headers = Headers
webhooks-configuration-no-headers = none
webhooks-configuration-seconds =
    { $count ->
        [one] { $count } second
       *[other] { $count } seconds
    }
# The delays between attempts follow, such as 5s, 1m, 1h.
webhooks-configuration-retry-schedule = Retry schedule
webhooks-configuration-channels = Channels
webhooks-configuration-rate = Rate limit
webhooks-configuration-per-second =
    { $count ->
        [one] { $count } request per second
       *[other] { $count } requests per second
    }
webhooks-configuration-mode = Delivery
webhooks-configuration-mode-fetch = fetched by the receiver
webhooks-configuration-certificates = Certificates
webhooks-configuration-verified = verified
webhooks-configuration-unverified = not verified
webhooks-configuration-created = Created
# In place of the test, if messages are fetched.
webhooks-fetch-title = Fetch messages
webhooks-fetch-how = Messages wait until the receiver fetches them with an API key of the webhook's owner that is not read-only. The oldest come first.
webhooks-fetch-first = First request
# CURSOR is in the line that follows.
webhooks-fetch-next = Each further request, with the cursor of the last response in place of CURSOR. It acknowledges the messages that came with that cursor.
webhooks-fetch-held = Nothing is handed out while the webhook is paused or disabled.
webhooks-tasks-none = None yet. A task defines what this webhook sends.
webhooks-tasks-new = New task

## A subscription: a task and its event, made together

webhooks-subscribe = New subscription
webhooks-subscribe-title = Subscribe { $name } to an event
webhooks-subscribe-intro = When the event occurs, the webhook sends the message. This creates a task and an event, which you can change later.
webhooks-subscribe-when = When
webhooks-subscribe-what = Send
webhooks-subscribe-choose-type = Choose a type.
webhooks-subscribe-button = Subscribe
webhooks-done-subscribed = The subscription was created. The next event that matches is sent.
webhooks-signing-title = Signing
webhooks-deliveries-title = Deliveries
webhooks-deliveries-none = No deliveries yet.
# The page that it leads to asks further.
webhooks-deliveries-replay = Replay…
webhooks-deliveries-all = All deliveries

## Its metrics and charts

webhooks-figures-title =
    { $range ->
        [day] In the last 24 hours
        [week] In the last 7 days
       *[month] In the last 30 days
    }
# Below numbers.
webhooks-figure-retried = Retried
webhooks-figure-success = Success
# More deliveries than are counted.
webhooks-figure-more = { $count }+
webhooks-figures-all = Total: { $sent } sent, { $failed } failed, including deliveries that are no longer listed and tests of tasks.
webhooks-range-label = Time range
# The links to the ranges, which are short.
webhooks-range-day = 24h
webhooks-range-week = 7d
webhooks-range-month = 30d
webhooks-chart-deliveries = Deliveries
webhooks-chart-deliveries-said =
    { $range ->
        [day] Deliveries sent and failed per hour, last 24 hours. The table below has all numbers.
        [week] Deliveries sent and failed per six hours, last 7 days. The table below has all numbers.
       *[month] Deliveries sent and failed per day, last 30 days. The table below has all numbers.
    }
webhooks-chart-failed = Failed attempts
webhooks-chart-failed-said =
    { $range ->
        [day] Share of attempts that failed per hour, last 24 hours. The table below has all numbers.
        [week] Share of attempts that failed per six hours, last 7 days. The table below has all numbers.
       *[month] Share of attempts that failed per day, last 30 days. The table below has all numbers.
    }
webhooks-chart-time = Average attempt duration
webhooks-chart-time-said =
    { $range ->
        [day] Average attempt duration per hour, last 24 hours. The table below has all numbers.
        [week] Average attempt duration per six hours, last 7 days. The table below has all numbers.
       *[month] Average attempt duration per day, last 30 days. The table below has all numbers.
    }
# The end of the time axis.
webhooks-chart-now = now
webhooks-table-title = The numbers as a table
webhooks-table-from = From (UTC)
webhooks-table-sent = Sent
webhooks-table-failed = Failed
webhooks-table-retried = Retried
webhooks-table-success = Success
webhooks-table-time = Average attempt duration
webhooks-table-no-attempts = no attempts
# The row of sums.
webhooks-table-all = All

## Dropped deliveries

webhooks-rejected-title = Dropped
webhooks-rejected = A limit was reached, so these deliveries were counted but not stored. They are not sent. A row is for one hour.
# The beginning of the minute or hour.
webhooks-rejected-minute = From
webhooks-rejected-deliveries = Deliveries
webhooks-rejected-reason = Reason
webhooks-rejected-waiting = Too many deliveries, or too many bytes, were waiting.
webhooks-rejected-occurrence = One occurrence ran too many tasks, or produced too many bytes.
webhooks-rejected-rate = The webhook’s owner caused more in a minute, for example by logging in, than may run.

## The form

webhooks-new-title = New webhook
webhooks-edit-title = Edit { $name }
webhooks-create = Create webhook
webhooks-save = Save webhook
webhooks-form-name = Name
webhooks-form-name-hint = A unique name, for example: Deploys to #ops.
webhooks-form-url = URL
webhooks-form-url-hint = The address that receives the POST requests: https://…
webhooks-form-when = Events (optional)
webhooks-form-when-hint = The webhook sends the default message when one of them occurs. You can add others and change the message later.
webhooks-form-delivery-mode = How messages are delivered
webhooks-form-delivery-mode-push = Sent to the URL
webhooks-form-delivery-mode-fetch = Fetched by the receiver
# Shown once the second is chosen.
webhooks-form-mode-fetch-note = For a receiver behind a firewall. Messages wait until it fetches them through the API; nothing is sent to the URL. Authorization, timeout, retries, and rate have no effect.
webhooks-form-auth = Authorization type
# The types of authorization.
webhooks-form-auth-none = None
webhooks-form-auth-basic = Basic
webhooks-form-auth-bearer = Bearer token
webhooks-form-auth-apikey = API key
webhooks-form-auth-oauth2 = OAuth 2
webhooks-form-token = Token
webhooks-form-token-hint = The token only, without the word Bearer.
webhooks-form-key = Key
webhooks-form-key-hint = The key only. It is sent as X-API-Key, or in place of ${"{"}APIKEY{"}"} in a header value.
webhooks-form-user = Username
webhooks-form-password = Password
webhooks-form-oauth-token-url = Token URL
webhooks-form-oauth-token-url-hint = The token endpoint of the authorization server: https://…
webhooks-form-oauth-client-id = Client ID
webhooks-form-oauth-secret = Client secret
webhooks-form-oauth-scope = Scopes (optional)
webhooks-form-oauth-scope-hint = Separated by spaces.
# How the client authenticates to the token endpoint; the two choices follow.
webhooks-form-oauth-client-auth = Send the client secret
webhooks-form-oauth-client-auth-basic = In the Authorization header (Basic)
webhooks-form-oauth-client-auth-body = In the form body
# On the page of a webhook.
webhooks-configuration-token-url = Token URL
webhooks-configuration-client-id = Client ID
webhooks-configuration-scope = Scopes
# On the page of a webhook and in its form.
webhooks-client-certificate = Client certificate
webhooks-client-no-subject = without a subject
webhooks-client-unreadable = cannot be read
webhooks-client-expires = Certificate expires
# Badges: the certificate has expired, or expires within 30 days.
webhooks-client-expired = expired
webhooks-client-expires-soon = expires soon
webhooks-form-client-title = Client certificate (optional)
webhooks-form-client = For a target that asks who connects to it (mutual TLS). It is used in addition to the authorization.
webhooks-form-client-certificate = Certificate, in PEM
webhooks-form-client-certificate-hint = The client's own certificate first, then those that issued it.
webhooks-form-client-key = Private key, in PEM
webhooks-form-client-key-hint = The key of the certificate, not encrypted.
# Follows webhooks-form-client-key-hint.
webhooks-form-client-stored = The stored key is not shown. Leave empty to keep it. If it would be used with another URL, enter it again.
webhooks-form-client-remove = Remove the client certificate
webhooks-form-client-remove-hint = The target is then not shown a certificate. The key cannot be restored.
# Follows the hint of a secret that is stored.
webhooks-form-secret-stored = The stored value is not shown. Leave empty to keep it. If it would go to another URL, enter it again.
# Follows the hint of a secret in a form that is shown again with errors.
webhooks-form-secret-again = For security, it is not kept in the page: enter it again.
webhooks-form-headers-title = Headers
webhooks-form-header-mode = Enter headers
webhooks-form-header-mode-rows = As names and values
webhooks-form-header-mode-text = As text
webhooks-form-header = Headers, in the order they are sent
# $number: of the row, from 1.
webhooks-form-row-name = Header { $number } name
webhooks-form-row-value = Header { $number } value
webhooks-form-row-name-empty = Name
webhooks-form-row-value-empty = Value
webhooks-form-headers-text = Header lines, in the order they are sent
webhooks-form-headers-text-hint = One per line, as Name: value
webhooks-form-delivery-title = Delivery
webhooks-form-timeout = Timeout (seconds)
webhooks-form-timeout-hint = How long to wait for the response: 3 to 120.
webhooks-form-retries = Retries
webhooks-form-retries-hint = How many times to try again after an error or no response: 0 to 100.
webhooks-form-retry-schedule = Retry schedule (optional)
webhooks-form-retry-schedule-hint = The delay before each retry, such as 5s, 1m, 10m, 1h. Replaces the number of retries. Leave empty for the platform's delays.
webhooks-form-channels = Channels (optional)
webhooks-form-channels-hint = Receive only what happens in these channels, such as project-7, billing. Leave empty to receive everything.
webhooks-form-rate = Requests per second (optional)
webhooks-form-rate-hint = The maximum rate for this target. Leave empty for no limit.
webhooks-form-enabled = Enabled
webhooks-form-enabled-hint = While a webhook is disabled, its deliveries wait in the queue and are not sent.
webhooks-form-in-order = Deliver in order
webhooks-form-in-order-hint = Sends one delivery at a time. A delivery that is retried delays those after it.
webhooks-form-insecure = Allow insecure certificates
webhooks-form-insecure-hint = Accepts certificates that cannot be verified, such as self-signed ones.
# Emphasized, before webhooks-form-insecure-risk.
webhooks-form-insecure-use = For test and development only.
webhooks-form-insecure-risk = Anyone on the network path to the target can read and change what is sent.
webhooks-form-unsign = Remove the signing secrets
webhooks-form-unsign-hint = They are not carried over to another URL. Deliveries are not signed until you create a new secret on the webhook's page.
webhooks-form-sign = Sign deliveries
webhooks-form-sign-hint = Creates a signing secret that lets the target verify that deliveries come from this platform. It is shown once.
webhooks-submitted-title = Form already submitted
# $link is webhooks-submitted-link.
webhooks-submitted = This form has already created a webhook. { $link }
webhooks-submitted-link = Go to webhooks

## Errors of fields, and advice

webhooks-problem-name-taken = Another webhook already has this name.
webhooks-problem-whole-number = Must be a whole number.
webhooks-problem-line-break = A header must not contain line breaks.
# A value was left masked (••••), but none of this name is stored. $line is the number of the line.
webhooks-problem-mask = Line { $line }: no stored value has this name; enter the value.
webhooks-problem-auth = The target has changed, and a stored secret is not carried over: enter it again, or choose None.
webhooks-problem-client-key = The target has changed, and a stored private key is not carried over: enter it again, or remove the client certificate.
webhooks-problem-unsign = The target has changed, and signing secrets are not carried over: remove them. You can create a new one afterwards.
webhooks-problem-masked = The target has changed, and masked values are not carried over: enter them again, or remove the headers.
webhooks-url-plain = Not encrypted: anyone on the network path to the target can read what is sent. Use https if possible.
# $why: a text of rules.ftl.
webhooks-url-refused = Nothing can be sent to this URL: { $why }.
webhooks-url-no-address = Nothing can be sent to this host name: it currently has no address that the target policy allows.

## Sending a test

webhooks-test-message = Message
webhooks-test-message-hint = To test a task with its own message, use Test or run in the list of tasks.
webhooks-test-name = Name
webhooks-test-name-hint = Replaces ${"{"}NAME{"}"} in the message.
webhooks-test-button = Send test
webhooks-test-page-title = Test of { $name }

## Deleting

webhooks-delete-title = Delete this webhook?
webhooks-delete-question = The webhook { $name } and its whole delivery log will be deleted. Queued deliveries will not be sent. This cannot be undone.
webhooks-delete-tasks = These tasks use it:
# The end of a list of tasks, of which not all are named.
webhooks-delete-others = and others
webhooks-delete-cascade = Also delete these tasks and their events
webhooks-delete-cascade-hint = Otherwise the webhook cannot be deleted while a task uses it.
webhooks-delete-button = Delete webhook

## Signing

webhooks-signing-none = Deliveries are not signed. With a signing secret, the target can verify that they come from this platform.
webhooks-signing-one = Deliveries are signed (Standard Webhooks).
webhooks-signing-two = The secret is being rotated: deliveries are signed with both the new and the old one.
webhooks-signing-create = Create signing secret
webhooks-signing-rotate = Rotate signing secret
webhooks-signing-stop = Stop signing
webhooks-signing-retire = Remove old secret
# Links to the page about signing.
webhooks-signing-page-none = How to verify signatures
webhooks-signing-page-one = Rotate signing secret or verify signatures
webhooks-signing-page-two = Continue the rotation
webhooks-signing-page-title = Signing for { $name }
webhooks-signing-secret-title = Signing secret
webhooks-signing-guide-one = Deliveries are signed with one secret. To change it without losing a delivery, follow these four steps:
webhooks-signing-guide-two = Deliveries are signed with two secrets, the new one and the old one.
webhooks-signing-guide-more = Deliveries are signed with several secrets.
webhooks-signing-step-add = Add a new secret. From then on, both the new and the old secret sign each delivery.
webhooks-signing-step-give = Give the new secret to the target, in place of the old one.
webhooks-signing-step-test = Send a test, and check that the target accepts it.
webhooks-signing-step-remove = Remove the old secret. From then on, only the new one signs deliveries.
# Before a step that is done, for screen readers.
webhooks-signing-step-done = Done:
webhooks-signing-stop-title = Stop signing deliveries of { $name }?
webhooks-signing-stop-question = From the next attempt on, deliveries will no longer be signed. A target that verifies signatures will refuse them. The secrets cannot be restored.
webhooks-signing-retire-title = Remove the old secret of { $name }?
webhooks-signing-retire-question = From the next attempt on, only the newest secret will sign. A target that still verifies with the old one will refuse deliveries. The old secret cannot be restored.
webhooks-signing-submitted = This form was already submitted, and the secret was shown then. If you did not keep it, rotate it again.
# The title of the popup that shows a secret, and what to do with it.
webhooks-secret-title = The webhook's signing secret
webhooks-secret-advice = This is the only time the secret is shown. Give it to the target, which verifies deliveries with it. If you lose it, rotate it.

## How to verify signatures

webhooks-verify-title = Verify signatures
# $id, $timestamp and $signature are names of headers, $standard is a link to Standard Webhooks.
webhooks-verify = Each request carries { $id }, { $timestamp } and { $signature } ({ $standard }). Verify the raw bytes of the body, before they are parsed as JSON, and reject requests that fail verification.
# $variable is the name of an environment variable.
webhooks-verify-hmac = Store the signing secret with your other secrets; the code below reads it from { $variable }.
webhooks-verify-ed25519 = You only need the public key, which is not a secret; the code below reads it from { $variable }.
webhooks-verify-public-key = Public key: { $key }
# The label of a code sample, for screen readers. $language is a programming language.
webhooks-verify-sample = Verification in { $language }
# $prefix begins the id of a test's message.
webhooks-verify-repeats = All attempts of a delivery have the same { $id }, so a receiver that remembers it can ignore repeats. The ID of a test begins with { $prefix }.
