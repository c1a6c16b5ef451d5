/** A Redis that is away is logged in one line, in words: callers and workers ask again and again. */
import { Worker } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { openBackend } from '../../src/platform/queue/connection.ts';
import { beginWorker, openQueue } from '../../src/platform/queue/queue.ts';

/** Where nothing listens. */
const NOBODY = 'redis://127.0.0.1:1';

test('a Redis that is away is one line without a stack, however often it is asked', async () => {
  const warnings: Record<string, unknown>[] = [];
  let refused = 0;
  let whenRefusedOften = (): void => {};
  const refusedOften = new Promise<void>((resolve) => {
    whenRefusedOften = resolve;
  });
  const log = createLogger('debug', [], {
    write: (text) => {
      const line = JSON.parse(text) as Record<string, unknown>; // a log line is an object
      if (line['level'] !== 'debug') warnings.push(line);
      else if (++refused === 8) whenRefusedOften();
    },
  });
  const backend = openBackend({ kind: 'redis', url: NOBODY }, 'away', log);
  const queue = openQueue(backend, log);
  const workers = beginWorker(
    () => new Worker('scan', () => Promise.resolve(), { ...backend.worker, autorun: false }),
    log,
  );
  onTestFinished(async () => {
    await backend.close();
    await workers.close();
    await queue.close().catch(() => {});
  });
  for (let i = 0; i < 3; i++) await expect(queue.ping()).rejects.toThrow();
  await refusedOften;
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({ msg: 'queue unavailable; runs wait in the database' });
  expect(warnings[0]?.['reason']).toMatch(/\S/);
  expect(JSON.stringify(warnings[0])).not.toContain(' at ');
});
