"""verify.py SECRET ID TIMESTAMP SIGNATURE BODY: ends with success if the official library accepts the message."""
import sys

from standardwebhooks import Webhook, WebhookVerificationError

secret, message_id, timestamp, signature, body = sys.argv[1:]
headers = {"webhook-id": message_id, "webhook-timestamp": timestamp, "webhook-signature": signature}
try:
    Webhook(secret).verify(body, headers)
except WebhookVerificationError:
    sys.exit(1)
