/** Two processes that ask the same source, with what they share in Postgres. */
import { afterAll, expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/logger.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { ServicePorts } from '../../../src/service/ports.ts';
import type { Adapter } from '../../../src/service/sources/adapter.ts';
import { waitUnlessAborted } from '../../../src/service/sources/resilience/source-limits.ts';
import { openDatabase } from '../../../src/store/database.ts';
import {
  readUsedAllowance,
  refundAllowance,
  reserveSourceTurn,
  takeAllowance,
} from '../../../src/store/source-pacing.ts';
import { freshDatabase } from '../../database.ts';
import { startLive } from './living.ts';
import { json, query, startProvider } from './provider.ts';

const database = await freshDatabase();
const db = openDatabase(database.url, { log: createLogger('silent') });
afterAll(async () => {
  await db.close();
  await database.drop();
});

const ports: Pick<ServicePorts, 'allowances' | 'turns'> = {
  allowances: {
    take: (allowance, units) => takeAllowance(db, systemClock, allowance, units),
    refund: (allowance, units) => refundAllowance(db, allowance, units),
    used: (allowance) => readUsedAllowance(db, allowance),
  },
  turns: { next: (source, everyMs, mostMs) => reserveSourceTurn(db, source, everyMs, mostMs) },
};

function processes(url: string, more: Partial<Adapter>) {
  const find: Adapter['find'] = async (_, { ask, spend }) => {
    await spend(1);
    await ask({ url: new URL(url) });
    return [];
  };
  return [1, 2].map(
    () => startLive({ ...more, find }, { ports, wait: waitUnlessAborted, clock: systemClock }).source,
  );
}

test('requests of both are as far apart as the terms of the source want', async () => {
  const at: number[] = [];
  const provider = await startProvider((_, response) => {
    at.push(performance.now());
    response.end('{}');
  });
  const both = processes(provider.url, { name: 'spaced', everyMs: 300 });
  await Promise.all(both.flatMap((one) => ['a', 'b', 'c'].map((prompt) => one.find(query({ prompt })))));
  const gaps = at.slice(1).map((ms, i) => ms - (at[i] ?? 0));
  expect(gaps).toHaveLength(5);
  // A turn is kept to the millisecond; how long a request travels on a machine with much to do is not.
  expect(Math.min(...gaps)).toBeGreaterThan(100);
});

test('the allowance of a day is one for both', async () => {
  const provider = await startProvider(json({}));
  const allowance = { most: 5, unit: 'searches', zone: 'America/Los_Angeles' };
  const both = processes(provider.url, { name: 'counted', allowance });
  const findings = await Promise.allSettled(
    both.flatMap((one) => Array.from({ length: 10 }, (_, n) => one.find(query({ prompt: `p${n}` })))),
  );
  expect(findings.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(provider.requests).toHaveLength(5);
  expect((await both[0]?.health())?.allowance).toMatchObject({ used: 5, most: 5 });
});
