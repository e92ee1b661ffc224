### Texts of the rules: what a field must be, why a target is refused, how an attempt went.
### The crates below word it, in English, for the API as well. A sentence of theirs is recognized by the
### English here, whose variables stand for any text; so the English stays as it is.
### Most are shown with a capital letter in front and a full stop behind.

## Outcomes of attempts

# $rule: what went wrong, a separate text below.
rules-delivered-with-status = delivered with status { $status }
rules-target-responded-with-status = the target responded with status { $status }
rules-target-closed-connection-before-it = the target closed the connection before it responded
rules-target-response-is-not-valid = the target's response is not valid HTTP
rules-head-of-target-response-is = the head of the target's response is too large
rules-could-not-connect = could not connect: { $rule }
rules-could-not-resolve-host-name = could not resolve the host name: { $rule }
rules-proxy-failed = the proxy failed: { $rule }
rules-timed-out-while = timed out while { $rule }
rules-tls = TLS: { $rule }
rules-request-cannot-be-built = the request cannot be built: { $rule }
rules-headers-longer-than-bytes-that = headers: longer than the { $length } bytes that the target accepts over HTTP/2 (SETTINGS_MAX_HEADER_LIST_SIZE, RFC 9113 §6.5.2)
rules-nothing-can-be-sent = nothing can be sent: { $rule }
rules-no-access-token-from-token = no access token from the token endpoint: { $rule }
rules-second-request-over-new-connection = { $rule } (second request, over a new connection)
rules-second-request-with-new-access = { $rule } (second request, with a new access token)
# Ends of deliveries without an attempt.
rules-cancelled = cancelled
rules-fetched = fetched
rules-expired-while-it-waited = expired while it waited
rules-owner-moved = the owner moved
rules-may-have-been-sent-before = may have been sent before the backup was restored
rules-sender-died-times = the sender died { $count } times
rules-stored-message-cannot-be-opened = the stored message cannot be opened
rules-stored-delivery-cannot-be-read = the stored delivery cannot be read: { $reason }

## Why no connection came about

rules-sender-is-out-of-resources = the sender is out of resources
rules-connection-failed = the connection failed
rules-connection-refused = connection refused
rules-network-or-host-is-unreachable = the network or host is unreachable
rules-name-service-failed = the name service failed
rules-no-address-found = no address found
rules-it-refused-our-credentials = it refused our credentials
rules-it-cannot-be-reached = it cannot be reached
rules-its-response-is-not-understood = its response is not understood
rules-it-did-not-connect-to = it did not connect to the target

## Until when an attempt waited: timed out while …

rules-reading-response = reading the response
rules-connecting = connecting
rules-resolving-host-name = resolving the host name
rules-waiting-for-response = waiting for a response
rules-connecting-through-proxy = connecting through the proxy
rules-sending-request = sending the request
rules-securing-connection = securing the connection

## TLS

# $alert: as RFC 8446 §6 calls it.
rules-target-refused-connection-with-alert = the target refused the connection with the alert { $alert }
rules-target-refused-client-certificate-with = the target refused the client certificate with the alert { $alert }
rules-target-requires-client-certificate = the target requires a client certificate
rules-private-key-of-client-certificate = the private key of the client certificate cannot be used by this sender
rules-target-closed-connection-during-handshake = the target closed the connection during the handshake
rules-certificate-is-not-valid = the certificate is not valid
rules-certificate-has-expired = the certificate has expired
rules-no-common-protocol-version-cipher = no common protocol version, cipher or application protocol
rules-certificate-is-not-valid-yet = the certificate is not valid yet
rules-target-does-not-speak-tls = the target does not speak TLS on this port
rules-target-broke-protocol = the target broke the protocol
rules-certificate-has-been-revoked = the certificate has been revoked
rules-certificate-is-self-signed-or = the certificate is self-signed or its issuer is not trusted
rules-certificate-uses-key-or-signature = the certificate uses a key or signature algorithm that is not supported, such as the curve P-521 (secp521r1) or SHA-1
rules-certificate-is-for-another-host = the certificate is for another host name

## Access tokens (OAuth 2)

rules-none-came-in-time = none came in time
# $code: an error code of RFC 6749.
rules-it-responded-with-status = it responded with status { $status }
rules-it-responded-with-status-and-code = it responded with status { $status } ({ $code })
rules-its-response-is-not-understood-because = its response is not understood: { $rule }
rules-it-is-cut-or-over = it is cut or over 64 KiB
rules-it-is-not-json-object = it is not the JSON object of RFC 6749
rules-it-has-no-access-token = it has no access_token
rules-its-access-token-is-empty = its access_token is empty or longer than 16 KiB
rules-its-access-token-has-characters = its access_token has characters that no token has
rules-it-has-no-token-type = it has no token_type
rules-its-token-type-is-not = its token_type is not Bearer

## Why a target is refused

# $rule: which addresses, a separate text below. $advice: what the platform says can be done.
rules-target-policy-refuses = the target policy refuses { $rule }
rules-target-policy-refuses-with-advice = the target policy refuses { $rule }: { $advice }
rules-target-policy-denies-network-of = the target policy denies the network of this target
rules-target-policy-does-not-allow = the target policy does not allow this host name
rules-target-policy-does-not-allow-port = the target policy does not allow port { $port }
rules-target-policy-allows-https-targets = the target policy allows https targets only
rules-cannot-be-asked = cannot be asked: { $rule }
rules-service-anycast-addresses = service anycast addresses
rules-benchmarking-addresses = benchmarking addresses
rules-documentation-addresses = documentation addresses
rules-ipv6-addresses-that-carry-ipv4 = IPv6 addresses that carry an IPv4 address
rules-link-local-addresses = link-local addresses
rules-loopback-addresses = loopback addresses
rules-cloud-metadata-addresses = cloud metadata addresses
rules-multicast-addresses = multicast addresses
rules-private-addresses = private addresses
rules-protocol-assignment-addresses = protocol assignment addresses
rules-reserved-addresses = reserved addresses
rules-carrier-shared-addresses = carrier-shared addresses
rules-unspecified-addresses = unspecified addresses

## Why no request can be made of a webhook

rules-client-certificate = client certificate: { $rule }
rules-url-must-not-carry-user = url: must not carry a user name or a password
rules-delivery-id-must-be-1 = delivery id: must be 1 to 256 visible ASCII characters other than a dot
rules-header-name-is-not-valid = header { $name }: the name is not a valid header name
rules-header-value-holds-character-that = header { $name }: the value holds a character that a header must not hold
rules-header-is-written-by-sender = header { $name }: is written by the sender itself
rules-method-connect-is-not-delivery = method: CONNECT is not a delivery
rules-url-scheme-must-be-http = url: the scheme must be http or https
rules-signing-delivery-id-is-needed = signing: a delivery id is needed
rules-timeout-must-not-be-zero = timeout: must not be zero
rules-headers-at-most-200-and = headers: at most 200, and 64 KiB in all
rules-url-has-no-host-or = url: has no host or cannot be sent
rules-signing-secret-what-follows-prefix = signing secret: what follows the prefix is not base64
rules-signing-secret-public-half-does = signing secret: the public half does not fit the private half
rules-signing-secret-must-be-24 = signing secret: must be 24 to 64 bytes for whsec_, 64 bytes for whsk_
rules-signing-secret-must-begin-with = signing secret: must begin with whsec_ or whsk_
rules-private-key-is-encrypted-decrypt = the private key is encrypted: decrypt it first, for example with openssl pkey
rules-there-is-no-certificate-in = there is no certificate in PEM (-----BEGIN CERTIFICATE-----)
rules-there-is-no-private-key = there is no private key in PEM (-----BEGIN PRIVATE KEY-----)
rules-chain-must-hold-certificates-only = the chain must hold certificates only: a private key belongs in its own field
rules-there-must-be-one-private = there must be one private key, not several
rules-certificates-and-private-key-must = certificates and private key must be at most 64 KiB in all
rules-there-must-be-at-most = there must be at most 10 certificates
rules-certificate-cannot-be-read-it = certificate { $number } cannot be read: it is damaged or not X.509 version 3
rules-private-key-cannot-be-used = the private key cannot be used: it must be RSA of 2,048 to 4,096 bits, ECDSA P-256 or P-384, or Ed25519
rules-only-https-url-can-ask = only an https URL can ask for a client certificate
rules-private-key-does-not-belong = the private key does not belong to the first certificate: the client's own certificate comes first, then those that issued it

## Rules for any field

rules-is-required = is required
rules-does-not-exist = does not exist
rules-must-not-be-blank = must not be blank
rules-must-be-at-most-characters = must be at most { $most } characters, not { $length }
rules-must-be-at-most-bytes = must be at most { $most } bytes
rules-must-not-contain-control-characters = must not contain control characters
rules-must-not-hold-hidden-characters = must not hold hidden characters such as { $character }
rules-must-be-json-object = must be a JSON object
rules-must-be-at-most-32 = must be at most 32 levels deep

## Names, descriptions and expiry of keys

rules-name-must-not-be-blank = name must not be blank
rules-name-must-not-hold-control = name must not hold control characters
rules-name-must-not-hold-hidden = name must not hold hidden characters such as { $character }
rules-name-must-be-at-most = name must be at most { $most } characters long
rules-description-must-not-hold-control = description must not hold control characters other than line breaks and tabs
rules-description-must-not-hold-hidden = description must not hold hidden characters such as { $character }
rules-description-must-be-at-most = description must be at most { $most } characters long
rules-expires-must-lie-in-future = expires must lie in the future
rules-expires-is-required-with-set = expires is required with Set Date
rules-expires-must-be-empty-with = expires must be empty with Never Expire
rules-expires-type-must-be-set = expires_type must be Set Date or Never Expire
rules-expires-must-be-at-most = expires must be at most 100 years ahead (seconds, not milliseconds?)
rules-expired-key-cannot-be-edited = an expired key cannot be edited: create a new key
rules-must-be-0-to-seconds = must be 0 to { $most } seconds (30 days)

## A text that is searched for leaked keys

rules-must-be-at-most-mib-long = must be at most 1 MiB long; report it in parts
rules-must-hold-at-most-keys = must hold at most 1,000 keys; report it in parts

## Permissions of a key

rules-must-be-1-to-requests = must be 1 to { $most } requests per minute
rules-must-be-at-most-requests = must be at most { $requests } requests per minute
rules-must-name-scopes-by-1 = must name scopes by 1 to 64 lower-case letters, digits and _.:/-, a letter first
rules-must-name-tables-by-1 = must name tables by 1 to 64 lower-case letters, digits and _, a letter first
rules-must-not-be-more-than = must not be more than { $most }
rules-must-be-scopes-of-this = must be scopes of this platform, which has none
rules-must-be-scopes-of-this-platform = must be scopes of this platform: { $names }
rules-must-be-tables-of-this = must be tables of this API: { $names }
rules-must-not-be-later-than = must not be later than that of the API key that is used
rules-must-allow-no-address-that = must allow no address that the API key that is used does not allow
rules-must-deny-every-address-that = must deny every address that the API key that is used denies
rules-must-be-set-because-api = must be set, because the API key that is used is read-only
rules-must-be-set-and-not = must be set, and not be more than that of the API key that is used
rules-must-name-scopes-of-api = must name scopes of the API key that is used, and no others
rules-must-name-tables-of-api = must name tables of the API key that is used, and no others
rules-random-number-generator-gives-no = the random number generator gives no usable bytes

## IP lists

rules-entry = entry { $number } { $rule }
rules-has-more-than-entries = has more than { $most } entries
rules-is-empty = is empty
rules-has-number-with-leading-zero = has a number with a leading zero: write 10.0.0.1, not 010.0.0.1
rules-is-ipv4-mapped-network-shorter = is an IPv4-mapped network shorter than /96, which would cover more than IPv4: write the IPv4 network itself, such as 10.0.0.0/8
rules-has-netmask-write-prefix-length = has a netmask: write the prefix length, such as /24
rules-is-not-ipv4-or-ipv6 = is not an IPv4 or IPv6 address or CIDR range, such as 192.0.2.7 or 2001:db8::/32
rules-has-prefix-length-that-is = has a prefix length that is not a plain number from 0 to { $most }
rules-holds-white-space = holds white space
rules-has-ipv6-zone-write-it = has an IPv6 zone: write it without % and what follows
# Warnings.
rules-only-ip-allow-list-decides = only the IP allow list decides: the { $count } entries of the IP deny list have no effect
rules-no-entry-of-ip-allow = no entry of the IP allow list is enabled: the key works from nowhere
rules-no-entry-of-ip-deny = no entry of the IP deny list is enabled: it blocks nobody
rules-all-of-ipv4-is-blocked = all of IPv4 is blocked, IPv6 is not: add ::/0 to block both
rules-all-of-ipv6-is-blocked = all of IPv6 is blocked, IPv4 is not: add 0.0.0.0/0 to block both
rules-this-locks-out-your-own = this locks out your own address { $address } ({ $rule })
rules-allowed-no-ip-list-is = allowed: no IP list is set
rules-allowed-by-entry-of-ip = allowed by entry { $number } of the IP allow list, { $entry }
rules-refused-not-on-ip-allow = refused: not on the IP allow list
rules-refused-every-entry-of-ip = refused: every entry of the IP allow list is disabled
rules-refused-by-entry-of-ip = refused by entry { $number } of the IP deny list, { $entry }
rules-allowed-not-on-ip-deny = allowed: not on the IP deny list

## URLs

rules-must-be-absolute-http-or = must be absolute: http://… or https://…
rules-must-begin-with-http-or = must begin with http:// or https://
rules-must-name-host = must name a host
rules-must-not-carry-credentials-use = must not carry credentials: use the authorization type basic
rules-must-not-have-fragment-it = must not have a fragment: it would never be sent
rules-is-not-url = is not a URL: { $rule }
rules-empty-host = empty host
rules-invalid-international-domain-name = invalid international domain name
rules-invalid-port-number = invalid port number
rules-invalid-ipv4-address = invalid IPv4 address
rules-invalid-ipv6-address = invalid IPv6 address
rules-invalid-domain-character = invalid domain character
rules-relative-url-without-base = relative URL without a base
rules-relative-url-with-cannot-be = relative URL with a cannot-be-a-base base
rules-cannot-be-base-url-doesn = a cannot-be-a-base URL doesn’t have a host to set
rules-urls-more-than-4-gb = URLs more than 4 GB are not supported

## Authorization of a webhook

rules-must-be-one-of-none = must be one of none, basic, bearer, apikey, oauth2
rules-must-be-only-token-without = must be only the token, without the word Bearer
rules-must-be-token-of-letters = must be a token of letters, digits and -._~+/ (RFC 6750)
rules-must-be-raw-key-without = must be the raw key, without a prefix or keyword
rules-must-be-visible-ascii-without = must be visible ASCII without surrounding spaces
rules-must-not-have-hidden-characters = must not have hidden characters in the user
rules-must-name-user = must name a user
rules-must-not-have-colon-in = must not have a colon in the user (RFC 7617)
rules-must-be-empty-with-authorization = must be empty with the authorization type none
rules-must-be-user-password = must be user:password
rules-is-required-with-this-authorization = is required with this authorization type
rules-is-required-with-type-oauth2 = is required with the type oauth2
rules-must-be-one-of-basic = must be one of basic, body
rules-must-be-words-of-visible = must be words of visible ASCII without quotes and backslashes, separated by one space
rules-must-begin-with-https-rfc = must begin with https:// (RFC 6749 §3.2)
rules-must-be-visible-ascii-rfc = must be visible ASCII (RFC 6749)
rules-is-no-oauth-2-client = is no OAuth 2 client
rules-must-be-at-most-64 = must be at most 64 KiB, the key included
rules-must-hold-certificates-only-private = must hold certificates only: the private key belongs in client_key
rules-must-be-one-or-more = must be one or more certificates in PEM (-----BEGIN CERTIFICATE-----)
rules-must-be-private-key-in = must be a private key in PEM (-----BEGIN PRIVATE KEY-----)
rules-must-be-empty-with-url = must be empty with a url that does not begin with https://
# $fields: names of the wire.
rules-must-be-sent-again-or = must be sent again or cleared, for the webhook would send it to another URL or under any certificate
rules-must-be-sent-again-or-cleared = must be sent again or cleared, for the webhook would send it to another URL or under any certificate; so must { $fields }

## Headers of a webhook

rules-line = line { $number }: { $rule }
rules-must-be-name-value = must be 'Name: value'
rules-has-name-with-characters-that = has a name with characters that are not allowed in one
rules-has-name-longer-than-128 = has a name longer than 128 characters
rules-sets-header-that-only-sender = sets a header that only the sender may set
rules-has-value-longer-than-8192 = has a value longer than 8192 bytes
rules-has-value-with-line-breaks = has a value with line breaks, control characters or characters beyond ASCII
rules-must-be-at-most-100 = must be at most 100 lines and 32768 bytes
rules-must-have-apikey-as-whole = must have ${"{"}APIKEY{"}"} as a whole value: no prefix is added to a key
rules-must-not-use-apikey-authorization = must not use ${"{"}APIKEY{"}"}: the authorization type is not apikey
rules-must-use-apikey-at-most = must use ${"{"}APIKEY{"}"} at most once
rules-must-not-set-authorization-with = must not set Authorization with an authorization type other than none
rules-must-not-set-it-carries = must not set { $carrier }: it carries the API key; a line 'Name: ${"{"}APIKEY{"}"}' names another header
rules-must-not-set-twice = must not set { $header } twice

## Limits, channels and signing of a webhook

rules-must-be-or-greater = must be { $least } or greater
rules-must-be-or-less = must be { $most } or less
rules-must-be-or-fewer = must be { $most } or fewer
rules-must-be-1-to-10000 = must be 1 to 10000 requests a second
rules-must-be-push-or-fetch = must be push or fetch
rules-must-be-at-most-delays = must be at most { $most } delays
rules-must-be-at-least-one = must be at least one delay
rules-each-delay-must-be-1s = each delay must be 1s to 1d, not { $typed }
rules-each-delay-must-be-number = each delay must be a number with s, m, h or d, such as 30s, not { $typed }
rules-each-delay-must-be-at = each delay must be at most { $most } seconds
rules-all-delays-together-must-be = all delays together must be at most { $most } seconds
rules-must-be-1-to-64 = must be 1 to 64 letters, digits, -, _ and .
rules-must-be-separated-by-commas = must be separated by commas, not by blanks
rules-each-must-be-1-to = each must be 1 to 64 letters, digits, -, _ and .
rules-must-be-at-most = must be at most { $most }
rules-must-hold-24-to-64 = must hold 24 to 64 bytes
rules-must-hold-16-to-256 = must hold 16 to 256 bytes
rules-must-hold-64-bytes-ed25519 = must hold 64 bytes: an ed25519 key and its public half
rules-must-begin-with-whsec-or = must begin with whsec_ or whsk_
rules-must-be-base64-behind-its = must be base64 behind its prefix

## Events and their filters

rules-is-not-known-event-type = is not a known event type
rules-is-not-event-of-this = is not an event of this type
rules-object-or-tag-is-required = an object or a tag is required for this event type
rules-this-event-type-takes-neither = this event type takes neither an object nor a tag
rules-must-be-1-to-64-of = must be 1 to 64 of a-z, 0-9 and _, a letter first
# $path: the path in the filter. $operator, $name: such as $in.
rules-at = at { $path }: { $rule }
rules-must-have-at-most-8 = must have at most 8 objects in each other
rules-must-hold-condition = must hold a condition
rules-must-have-at-most-32 = must have at most 32 parts in a path
rules-must-have-no-empty-part = must have no empty part in a path
rules-must-not-be-list-use = must not be a list; use $in for one of several values
rules-or-must-be-list-of = $or must be a list of one or more objects
rules-must-stand-at-path = { $operator } must stand at a path
rules-exists-must-be-true-or = $exists must be true or false
rules-is-not-known-use-eq = { $operator } is not known; use $eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, $exists or $or
rules-must-be-list-of-one = { $operator } must be a list of one or more values
rules-must-be-text-number-true = { $operator } must be a text, a number, true, false or null
rules-must-be-number-or-text = { $operator } must be a number or a text
rules-must-be-text-number-true-false = must be a text, a number, true, false or null
rules-must-compare-with-at-most = must compare with at most 100 values

## Messages and what they are rendered with

rules-rendered-message-is-larger-than = the rendered message is larger than 1 MiB
rules-message-of-task-cannot-be = the message of task { $task } cannot be rendered
rules-must-be-at-most-100-variables = must be at most 100 variables
rules-must-name-once = must name '{ $name }' once
rules-must-not-hold-character-in = must not hold the character U+0000 in '{ $name }'
rules-must-not-name-which-has = must not name '{ $name }', which has a value in every message
rules-must-have-names-of-1 = must have names of 1 to 64 letters, digits and _ that do not begin with a digit, not '{ $name }'

## Refusals

# $rule: the items of which there are too many, a separate text below.
rules-you-have-of = You have { $have } of { $most } { $rule }
rules-this-user-has-of = This user has { $have } of { $most } { $rule }
rules-webhooks = webhooks
rules-tasks = tasks
rules-events = events
rules-keys = keys
rules-bytes-of-records = bytes of records
rules-waiting-deliveries = waiting deliveries
rules-too-many-in-minute-try = too many in a minute; try again in { $seconds } seconds
rules-too-many-in-minute-try-one = too many in a minute; try again in 1 second
rules-task-is-disabled = the task is disabled
rules-row-is-being-changed-by = the row is being changed by others; try again
rules-key-is-disabled-enable-it = the key is disabled; enable it before it is rolled
rules-administrator-disabled-key-and-only = an administrator disabled the key, and only an administrator can enable it
rules-key-was-rolled-already-roll = the key was rolled already; roll the key that replaced it
rules-row-of-table-has-that-name = a row of { $table } has that name
rules-there-is-no-such-object = there is no such object
rules-you-may-not-watch-this = You may not watch this object
rules-you-may-not-watch-what = You may not watch what carries this tag
rules-you-may-not-watch-this-type = You may not watch this type of events
rules-owner-of-this-task-may = The owner of this task may not receive this
rules-account-of-owner-is-disabled = The account of the owner is disabled

## Events of Gatepost itself: labels of types and events, when they happen, and what their variables say

rules-own-webhooks = Webhooks
rules-own-api-keys = API Keys
rules-own-failing = Failing
rules-own-recovered = Recovered
rules-own-disabled = Disabled
rules-own-deliveries-given-up = Deliveries given up
rules-own-deliveries-not-stored = Deliveries not stored
rules-own-created = Created
rules-own-expiring = Expiring
rules-own-deleted = Deleted
rules-own-leaked = Leaked
rules-own-used-from-forbidden-address = Used from a forbidden address
rules-own-delivery-of-webhook-was-given = A delivery of a webhook was given up, or its attempts have done nothing but fail for ten minutes. Once until it recovers, and at most once an hour.
rules-own-webhook-that-was-reported-as = A webhook that was reported as failing delivers again.
rules-own-webhook-was-disabled-by-user = A webhook was disabled, by a user or by the platform.
rules-own-deliveries-of-webhook-failed-in = Deliveries of a webhook failed in their last attempt. At most once an hour for a webhook, with how many they were.
rules-own-deliveries-of-webhook-were-not = Deliveries of a webhook were not stored because a limit was reached, and are not sent. At most once an hour for a webhook, with how many they were.
rules-own-api-key-was-created = An API key was created.
rules-own-api-key-expires-in-14 = An API key expires in 14 days, in 3 days, or has just expired.
rules-own-api-key-was-deleted = An API key was deleted.
rules-own-api-key-was-found-in = An API key was found in a text where it does not belong. At most once an hour for a key.
rules-own-api-key-was-presented-from = An API key was presented from an address that its lists do not allow. At most once an hour for a key.
rules-own-row-number-of-webhook = The row number of the webhook
rules-own-last-failure = The last failure
rules-own-since-when-it-has-done = Since when it has done nothing but fail
rules-own-row-number-of-key = The row number of the key
rules-own-masked-form-of-key = The masked form of the key
rules-own-why-it-was-disabled = Why it was disabled
rules-own-which-limit-was-reached-waiting = Which limit was reached: waiting, occurrence or rate
rules-own-how-many-since-last-notice = How many since the last notice
rules-own-when-it-expires = When it expires
rules-own-14-3-or-0-once = 14, 3, or 0 once it has expired
rules-own-from-where-it-was-presented = From where it was presented last
rules-own-how-often-since-last-notice = How often since the last notice
