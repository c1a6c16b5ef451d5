/** A `doctor` check of an address: whether it accepts connections. */

import { SECOND } from '../lib/time.ts';
import { type Check, describeCause, type failedCheck, passedCheck } from '../monitor/status/check.ts';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Connects to an address and sends nothing. @param judge the result if it takes no connection in time */
export async function checkAddress(
  name: string,
  url: string,
  { timeoutMs, judge, advice }: { timeoutMs: number; judge: typeof failedCheck; advice: string },
): Promise<Check> {
  const { host } = new URL(url);
  try {
    await probeConnection(url, timeoutMs);
    return passedCheck(name, `${host} accepts connections`);
  } catch (error) {
    return judge(name, `${host} is unreachable: ${describeCause(error)}`, advice);
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
