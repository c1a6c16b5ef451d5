/** Everything that the program leaves behind, as searchable texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import type { Client } from 'pg';

/** Secrets by what they are. */
export type Canaries = Readonly<Record<string, string>>;

/** Which canaries stand in a text: as they are, in base64, as hex digits, or in an address. */
export function sungIn(text: string, canaries: Canaries): string[] {
  return Object.entries(canaries).flatMap(([name, canary]) => {
    const bytes = Buffer.from(canary);
    const forms = [canary, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
    return [...forms, encodeURIComponent(canary)].some((form) => text.includes(form)) ? [name] : [];
  });
}

/** Every row of every table, ours and the queue's, as Postgres writes it; and what raw answers hold when they are opened. */
export async function dumpDatabase(client: Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relkind IN ('r', 'm')
       AND c.relnamespace::regnamespace::text IN ('strandline', 'bullmq')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    texts.push(`# ${name}`, ...rows.map(({ row }) => row));
  }
  const { rows: answers } = await client.query<{ body: Buffer }>('SELECT body FROM strandline.responses');
  return [...texts, ...answers.map(({ body }) => gunzipSync(body).toString('latin1'))].join('\n');
}

/** Every key of a Redis with all that it holds. */
export async function dumpRedis(url: string): Promise<string> {
  const redis = new Redis(url);
  const texts: unknown[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    if (type === 'none') continue; // gone since it was listed
    const read = { string: 'GET', hash: 'HGETALL', set: 'SMEMBERS' }[type];
    const span = { list: ['LRANGE', '0', '-1'], zset: ['ZRANGE', '0', '-1'], stream: ['XRANGE', '-', '+'] }[
      type
    ];
    if (read !== undefined) texts.push(key, await redis.call(read, key));
    else if (span !== undefined) texts.push(key, await redis.call(span[0] ?? '', key, ...span.slice(1)));
    else throw new Error(`a key of type ${type}`);
  }
  await redis.quit();
  return JSON.stringify(texts);
}

/**
 * Looks at the arguments of all processes that are started from now on, again and again. Each read is a system call or
 * two: without promises, which would take most of a processor. @returns how to end that, and what was seen
 */
export function watchArguments(): () => string {
  const seen = new Set<string>();
  const list = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const others = new Set(list());
  const look = () => {
    for (const pid of list())
      if (!others.has(pid))
        try {
          seen.add(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
        } catch {
          // It ended.
        }
  };
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    return [...seen].join('\n').replaceAll('\0', ' ');
  };
}

/** Every file below a folder, unpacked where it is packed. */
export async function readBelow(directory: string): Promise<string> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map(async (file) => {
      const bytes = await readFile(path.join(file.parentPath, file.name));
      return (file.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
    });
  return (await Promise.all(texts)).join('\n');
}
