import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');

// Throws unless the platform sent these bytes in the last five minutes. `body` is a Buffer:
// the bytes as they arrived, before any JSON parser.
export function verify(headers, body) {
  const id = headers['webhook-id'], sent = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(sent)) <= 300)) throw new Error('too old, or from the future');
  const expected = createHmac('sha256', secret).update(`${id}.${sent}.`).update(body).digest();
  const fits = headers['webhook-signature'].split(' ').some(candidate => {
    const [scheme, signature = ''] = candidate.split(',');
    const given = Buffer.from(signature, 'base64');
    return scheme === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!fits) throw new Error('no signature fits');
}
