/** What a shell and the server that runs its command send each other: frames over one HTTP request and its response. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

export const COMMAND_PATH = '/command';
/** Headers of the request: the shell's nonce; of the response: the server's, and its proof. */
export const NONCE_HEADER = 'strandline-nonce';
export const PROOF_HEADER = 'strandline-proof';

/**
 * What one side sends so that the other knows that it has the key, which itself is never sent: whatever listens on the port of
 * a server that has gone learns nothing.
 */
export function proveKey(key: string, party: 'server' | 'shell', nonces: readonly string[]): string {
  return createHmac('sha256', key)
    .update([party, ...nonces].join(' '))
    .digest('base64url');
}

/** In constant time. */
export function isProof(proof: unknown, expected: string): boolean {
  const [a, b] = [Buffer.from(String(proof)), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A command, as its shell got it. */
export const forwardedCommand = z.object({
  argv: z.array(z.string()),
  /** The operating system account that runs it, which the audit log records. */
  account: z.string(),
  /** Files that its options name, by the path given: the server reads none. */
  files: z.record(z.string(), z.string()),
  /** Variables that decide how text is shown. */
  env: z.record(z.string(), z.string()),
  /** Which of its streams are terminals. */
  terminals: z.object({ stdin: z.boolean(), stdout: z.boolean(), stderr: z.boolean() }),
  columns: z.number().optional(),
  program: z.string().optional(),
  zone: z.string().optional(),
  logLevel: z.enum(['debug', 'error', 'fatal', 'info', 'silent', 'trace', 'warn']).optional(),
  /** The variables that are set in the shell, for commands that compare them with the server's. */
  settings: z
    .array(
      z.object({
        name: z.string(),
        /** Where it is set: see `Setting` in config/settings.ts. */
        from: z.string(),
        file: z.string().nullable(),
        /** Secrets are masked. */
        value: z.union([z.string(), z.number()]).nullable(),
        /** Its text as an HMAC with the key of the server, so that secrets can be compared and not read. */
        digest: z.string(),
      }),
    )
    .optional(),
});

export type ForwardedCommand = z.infer<typeof forwardedCommand>;
export type ShellSetting = NonNullable<ForwardedCommand['settings']>[number];

/** From the shell. The body of `run` is the command as JSON, that of `input` bytes of stdin. */
export const shellFrame = z.discriminatedUnion('is', [
  z.object({ is: z.literal('run'), proof: z.string() }),
  z.object({ is: z.enum(['input', 'input_end', 'interrupt']) }),
]);
export type ShellFrame = z.infer<typeof shellFrame>;

/** From the server. The body of `out` and `err` is text; `ask` wants the shell's stdin. */
export const serverFrame = z.discriminatedUnion('is', [
  z.object({ is: z.enum(['out', 'err', 'ask']) }),
  z.object({ is: z.literal('exit'), code: z.number().int() }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;

/** Files of options have at most a megabyte each. */
export const MAX_COMMAND_BYTES = 8_000_000;
/** One write of a command, such as a JSON document. */
export const MAX_OUTPUT_BYTES = 256_000_000;
