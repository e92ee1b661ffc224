// verify.js SECRET ID TIMESTAMP SIGNATURE BODY: ends with success if the official library accepts the message.
const { Webhook, WebhookVerificationError } = require("standardwebhooks");

const [secret, id, timestamp, signature, body] = process.argv.slice(2);
const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
try {
  new Webhook(secret).verify(body, headers);
} catch (error) {
  if (error instanceof WebhookVerificationError) process.exit(1);
  throw error;
}
