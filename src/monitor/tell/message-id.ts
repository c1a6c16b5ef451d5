import { randomBytes } from 'node:crypto';

/** What a receiver knows a message by: `msg_` and 128 random bits in hexadecimal. */
export function messageId(): string {
  return `msg_${randomBytes(16).toString('hex')}`;
}
