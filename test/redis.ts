import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { Redis } from 'ioredis';

export type RunningRedis = Readonly<{
  url: string;
  port: number;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}>;

/**
 * Starts a Redis of our own on a free port of the loopback, keeping nothing on disk.
 * @param settings on top, such as `['--maxmemory', '3mb']`
 * @param more settings as on its command line, which win
 * @returns undefined where there is no redis-server on the PATH
 */
export async function startRedis(
  directory: string,
  more: readonly string[] = [],
): Promise<RunningRedis | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const args = [
      ['--bind', '127.0.0.1'],
      ['--port', String(port)],
      ['--save', ''],
      ['--appendonly', 'no'],
      ['--databases', '4096'],
      ['--dir', directory],
      ['--pidfile', path.join(directory, 'redis.pid')],
      more,
    ].flat();
    const child = spawn('redis-server', args, { stdio: 'ignore' });
    const ended = new Promise<'absent' | 'ended'>((resolve) => {
      child.once('error', () => resolve('absent'));
      child.once('exit', () => resolve('ended'));
    });
    const url = `redis://127.0.0.1:${port}`;
    const outcome = await Promise.race([ended, answers(url, ended)]);
    if (outcome === 'absent') return undefined;
    if (outcome === 'ready') return { url, port, stop: (signal) => stop(child, signal) };
    // The port was taken between our look and the server's.
    if (attempt === 5) throw new Error('redis-server ends as soon as it is started');
  }
}

async function answers(url: string, ended: Promise<unknown>): Promise<'ready' | 'ended'> {
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => {});
  void ended.then(() => client.disconnect());
  try {
    await client.ping();
    return 'ready';
  } catch {
    return 'ended';
  } finally {
    client.disconnect();
  }
}

async function stop(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

export async function freePort(): Promise<number> {
  const probe: Server = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
