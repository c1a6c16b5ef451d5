/** Signatures of Standard Webhooks: HMAC-SHA-256 over id, time and the very bytes that are sent. */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function makeSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers that a receiver checks a message by: one signature per secret that is valid now.
 * @param at when this attempt is made; receivers refuse what is minutes old
 */
export function signatureHeaders(
  { id, body, at }: { id: string; body: string; at: Date },
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
