/** The result of one `doctor` check, and helpers that checks share. */

import { SECOND } from '../lib/time.ts';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

export type Check = {
  check: string;
  /** null: a recommendation, not a failure. */
  ok: boolean | null;
  found: string;
  /** How to fix it. */
  advice: string | null;
};

export function passedCheck(check: string, found: string): Check {
  return { check, ok: true, found, advice: null };
}

export function failedCheck(check: string, found: string, advice: string): Check {
  return { check, ok: false, found, advice };
}

export function advisoryCheck(check: string, found: string, advice: string): Check {
  return { check, ok: null, found, advice };
}

/** An error's message in one line. */
export function describeCause(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return describeCause(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message)
      ? `: ${error.cause.message}`
      : '';
  return `${error.message || error.name}${cause}`;
}

/** Connects to an address and sends nothing. @param judge the result if it takes no connection in time */
export async function checkAddress(
  check: string,
  url: string,
  { timeoutMs, judge, advice }: { timeoutMs: number; judge: typeof failedCheck; advice: string },
): Promise<Check> {
  const { host } = new URL(url);
  try {
    await probeConnection(url, timeoutMs);
    return passedCheck(check, `${host} accepts connections`);
  } catch (error) {
    return judge(check, `${host} is unreachable: ${describeCause(error)}`, advice);
  }
}

/** @throws if no connection is accepted in time */
function probeConnection(url: string, timeoutMs: number): Promise<void> {
  const { protocol, hostname, port: written } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:';
  const port = Number(written) || (secure ? 443 : 80);
  return new Promise((resolve, reject) => {
    const done = () => {
      socket.destroy();
      resolve();
    };
    const socket = secure
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }, done)
      : connectTcp({ host, port }, done);
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs / SECOND} s`)));
    socket.on('error', reject);
  });
}
