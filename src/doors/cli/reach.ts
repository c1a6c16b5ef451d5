import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { SECOND } from '../../engine/clock.ts';

/** Connects to what an address names and tells it nothing. @throws where it does not accept within the time */
export function reach(url: string, patienceMs: number): Promise<void> {
  const { protocol, hostname, port: given } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:';
  const port = Number(given) || (secure ? 443 : 80);
  return new Promise((resolve, reject) => {
    const done = () => {
      socket.destroy();
      resolve();
    };
    const socket = secure
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }, done)
      : connectTcp({ host, port }, done);
    socket.setTimeout(patienceMs, () =>
      socket.destroy(new Error(`no answer within ${patienceMs / SECOND} s`)),
    );
    socket.on('error', reject);
  });
}
