/** Single connections, and parsing of database URLs. */

import { assertOwnBackend } from './pooler.ts';
import { prepareSession, type SessionSettings } from './session.ts';
import { Socket } from 'node:net';
import { Client } from 'pg';

type ConnectOptions = {
  /** Aborts connecting immediately. */
  signal?: AbortSignal | undefined;
  /** Settings of this session, see {@link prepareSession}. */
  settings?: SessionSettings;
};

/**
 * One connection for work that needs its own session: locks, setup, migrations. The next query reports a broken connection;
 * without the error listener, node-postgres would end the process.
 * @throws Refused if a pooler gives no session
 */
export async function connect(
  url: string,
  applicationName: string,
  { signal, settings }: ConnectOptions = {},
): Promise<Client> {
  const client = await openConnection(url, applicationName, signal);
  try {
    await assertOwnBackend(client, {
      where: describeServer(url),
      open: () => openConnection(url, applicationName, signal),
    });
    await prepareSession(client, settings);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function openConnection(url: string, applicationName: string, signal?: AbortSignal): Promise<Client> {
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

/** Host and port, for messages. */
export function describeServer(url: string): string {
  const { host, port } = readAddress(url);
  return `${host || 'localhost'}:${port || '5432'}`;
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
