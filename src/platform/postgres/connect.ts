/** Single connections, and reading and changing addresses of databases. */

import { Socket } from 'node:net';
import { Client } from 'pg';

/**
 * One connection, for what needs a session of its own: locks, set-up, migrations. A broken connection is
 * reported by the next query; without a listener node-postgres would end the process.
 * @param signal gives up connecting, at once
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
  // node-postgres itself cannot be told: it would wait for an answer to its first packet.
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

/** What an address says, decoded; a `%` that encodes nothing stands for itself. */
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

/** The SQLSTATE or system code of a database error. */
export function readErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
