import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { giveTo } from './files.ts';
import type { Home } from './home.ts';

// Below the ports that systems hand out for outgoing connections, so that a kept port stays free.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** The port kept from an earlier start if it is free, else another free one. */
export async function choosePort(home: Home): Promise<{ port: number; moved: boolean }> {
  const kept = await keptPort(home);
  if (kept !== undefined && (await isFree(kept))) return { port: kept, moved: false };
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return { port, moved: kept !== undefined };
  }
}

export async function keepPort(home: Home, port: number): Promise<void> {
  if ((await keptPort(home)) === port) return;
  await writeFile(home.port, `${port}\n`, { mode: 0o600 });
  await giveTo(home.account, home.port);
}

export async function keptPort(home: Home): Promise<number | undefined> {
  const port = Number((await readFile(home.port, 'utf8').catch(() => '')).trim());
  return Number.isSafeInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
