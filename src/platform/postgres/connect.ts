/** Single connections, and parsing of database URLs. */

import { Socket } from 'node:net';
import { Client } from 'pg';

/**
 * One connection for work that needs its own session: locks, setup, migrations. The next query reports a broken connection;
 * without the error listener, node-postgres would end the process.
 * @param signal aborts connecting immediately
 */
export async function connect(url: string, applicationName: string, signal?: AbortSignal): Promise<Client> {
  const socket = new Socket();
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    stream: () => socket,
  });
  client.on('error', () => {});
  // node-postgres has no abort: it would wait for a reply to its first packet.
  const giveUp = () => socket.destroy();
  signal?.addEventListener('abort', giveUp);
  try {
    await client.connect();
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  return client;
}

/** The same server and role, another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(name)}`;
  return changed.href;
}

/** The decoded parts of a URL; an invalid `%` sequence is kept as it is. */
export function readAddress(url: string): Record<'host' | 'port' | 'database' | 'user' | 'password', string> {
  const { hostname, port, pathname, username, password } = new URL(url);
  return {
    host: decode(hostname),
    port,
    database: decode(pathname.slice(1)),
    user: decode(username),
    password: decode(password),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
