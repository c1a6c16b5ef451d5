import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ITERATIONS = 4_096;

/**
 * What Postgres stores of a password (RFC 5803). Sending this instead of the password keeps the password
 * out of the server's statement log and statistics.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const server = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}

/** Whether a password is the one that Postgres stores this of; never, where it is stored in another way. */
export function matchesVerifier(password: string, verifier: string): boolean {
  const [, salt] = /^SCRAM-SHA-256\$\d+:([^$]+)\$/.exec(verifier) ?? [];
  return salt !== undefined && scramVerifier(password, Buffer.from(salt, 'base64')) === verifier;
}
