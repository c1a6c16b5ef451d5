/** A Redis that is away is logged in one line, in words: callers and workers ask again and again. */
import { Worker } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { openBackend } from '../../src/platform/queue/connection.ts';
import { beginWorker, openQueue } from '../../src/platform/queue/queue.ts';

/** Where nothing listens. */
const NOBODY = 'redis://127.0.0.1:1';

test('a Redis that is away is one line without a stack, however often it is asked', async () => {
  const lines: string[] = [];
  const log = createLogger('warn', [], { write: (line) => void lines.push(line) });
  const backend = openBackend({ kind: 'redis', url: NOBODY }, 'away', log);
  const queue = openQueue(backend, log);
  for (let i = 0; i < 3; i++) await expect(queue.ping()).rejects.toThrow();
  let tries = 0;
  let resolveTried: () => void;
  const triedAgain = new Promise<void>((resolve) => {
    resolveTried = resolve;
  });
  const workers = beginWorker(() => {
    tries++;
    if (tries === 3) resolveTried();
    return new Worker('scan', () => Promise.resolve(), { ...backend.worker, autorun: false });
  }, log);
  onTestFinished(async () => {
    await backend.close();
    await workers.close();
    await queue.close().catch(() => {});
  });
  await triedAgain.promise;
  expect(lines).toHaveLength(1);
  const [line] = lines.map((text) => JSON.parse(text) as Record<string, unknown>); // a log line is an object
  expect(line).toMatchObject({ msg: 'queue unavailable; runs wait in the database' });
  expect(line?.['reason']).toMatch(/\S/);
  expect(lines[0]).not.toContain(' at ');
});
