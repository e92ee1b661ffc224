import { createPublicKey, verify as check } from 'node:crypto';

const raw = Buffer.from(process.env.WEBHOOK_PUBLIC_KEY.replace(/^whpk_/, ''), 'base64');
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });

// Throws unless the platform sent these bytes in the last five minutes. `body` is a Buffer:
// the bytes as they arrived, before any JSON parser.
export function verify(headers, body) {
  const id = headers['webhook-id'], sent = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(sent)) <= 300)) throw new Error('too old, or from the future');
  const signed = Buffer.concat([Buffer.from(`${id}.${sent}.`), body]);
  const fits = headers['webhook-signature'].split(' ').some(candidate => {
    const [scheme, signature = ''] = candidate.split(',');
    return scheme === 'v1a' && check(null, signed, key, Buffer.from(signature, 'base64'));
  });
  if (!fits) throw new Error('no signature fits');
}
