/** A run that repeatedly fails to derive delays its own search and nothing else. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { derivePending, FOLLOWER_INTERVAL_MS, startFollower } from '../../src/monitor/derive/follower.ts';
import { readCounts } from '../../src/store/derive/counts.ts';
import { readLag, readSetAside } from '../../src/store/derive/pending-derivations.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { readDerived, readRebuilt } from '../derived.ts';
import { intercepted } from '../intercepted.ts';
import { makeWorld, type World } from '../world.ts';
import { at, newSearch, run as runAndDerive } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

/** A constraint of the test's own: nothing is written into this table for this search, nor removed. */
async function refuse(table: string, { id }: Search): Promise<void> {
  await rows(`
    CREATE OR REPLACE FUNCTION strandline.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF coalesce(NEW.search_id, OLD.search_id) = TG_ARGV[0]::bigint THEN
        RAISE EXCEPTION 'a word of what was collected' USING ERRCODE = 'check_violation';
      END IF;
      RETURN coalesce(NEW, OLD);
    END $$;
    CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON strandline.${table}
      FOR EACH ROW EXECUTE FUNCTION strandline.refuse('${id}')`);
}

async function derivedOf({ id }: Search): Promise<number> {
  return (await rows('SELECT count(*)::int AS n FROM strandline.coverage WHERE search_id = $1', [id]))[0].n;
}

async function succeeded(): Promise<number> {
  const counts = await readCounts(world.db);
  return counts.find(({ name, labels }) => name === 'runs' && labels[1] === 'succeeded')?.n ?? 0;
}

/** The world's follower, at so many minutes from noon. @returns what it logged */
async function followAt(minutes: number): Promise<string[]> {
  world.clock.set(at(minutes));
  const said: string[] = [];
  const log = createLogger('silent');
  log.error = (_fields: unknown, words?: unknown) => said.push(String(words));
  await derivePending({ ...world.ctx, log }, { settleMs: null });
  return said;
}

const posts = (search: Search, n: number) => [
  { id: `${search.id}${n}`, created_at: at(n - 1).toISOString(), like_count: n },
];

test('a run that fails to derive is set aside: its search waits and is reported, all others continue, and nothing is lost', async () => {
  const searches = [];
  for (const slug of ['refused', 'second', 'third'])
    searches.push(await newSearch(world, slug, { topic: 'one' }));
  const [refused, ...others] = searches;
  if (refused === undefined) throw new Error('no search');
  await refuse('coverage', refused);
  const before = await succeeded();
  for (const minutes of [0, 15, 30]) for (const search of searches) await runWithout(search, minutes);

  expect(await followAt(31)).toEqual(['response set aside']);
  expect(await Promise.all(searches.map(derivedOf))).toEqual([0, 3, 3]);
  expect(await readSetAside(world.db, 10)).toEqual([
    {
      search: 'refused',
      run_id: expect.any(BigInt),
      at: at(0),
      attempts: 1,
      code: '23514',
      retry_at: at(32),
      readings: 3,
    },
  ]);
  expect(await readLag(world.db)).toEqual({ readings: 3, oldestSeconds: null, setAside: 1 });
  // Its runs succeeded all the same.
  expect((await succeeded()) - before).toBe(9);

  // Later ones of others go on, its own wait behind it.
  for (const search of searches) await runWithout(search, 31.5);
  await followAt(31.9);
  expect(await Promise.all(searches.map(derivedOf))).toEqual([0, 4, 4]);
  expect(await readSetAside(world.db, 10)).toMatchObject([{ attempts: 1, readings: 4 }]);

  // Tried again with growing pauses, and nobody is told again.
  expect(await followAt(32)).toEqual([]);
  expect(await readSetAside(world.db, 10)).toMatchObject([{ attempts: 2, retry_at: at(34) }]);
  for (let n = 0; n < 12; n += 1) await followAt(60 * (n + 1));
  const [last] = await readSetAside(world.db, 10);
  expect(last?.attempts).toBeGreaterThan(8);
  expect(last?.retry_at.getTime()).toBeLessThanOrEqual(at(12 * 60).getTime() + 60 * MINUTE);

  await rows('DROP TRIGGER refuse ON strandline.coverage');
  await followAt(12 * 60 + 59);
  expect(await derivedOf(refused)).toBe(0);
  await followAt(14 * 60);
  expect(await readLag(world.db)).toEqual({ readings: 0, oldestSeconds: null, setAside: 0 });
  expect(await derivedOf(refused)).toBe(4);
  expect((await succeeded()) - before).toBe(12);
  const derived = await readDerived(world.ctx);
  expect(await readRebuilt(world.ctx)).toEqual(derived);
  expect(others).toHaveLength(2);
});

test('the same holds behind later responses, if the derived data of its search cannot be undone', async () => {
  const [search, other] = [await newSearch(world, 'stuck'), await newSearch(world, 'free')];
  await runWithout(search, 900);
  await runWithout(other, 900);
  await followAt(901);
  await refuse('latest_results', search);
  // Received before what is derived already.
  await runWithout(search, 895);
  await runWithout(other, 896);
  await followAt(902);
  expect(await readSetAside(world.db, 10)).toMatchObject([{ search: 'stuck', at: at(895), readings: 1 }]);
  expect(await Promise.all([search, other].map(derivedOf))).toEqual([1, 2]);

  await rows('DROP TRIGGER refuse ON strandline.latest_results');
  await followAt(904);
  expect(await Promise.all([search, other].map(derivedOf))).toEqual([2, 2]);
  const derived = await readDerived(world.ctx);
  expect(await readRebuilt(world.ctx)).toEqual(derived);
});

test('an unavailable database sets nothing aside', async () => {
  const search = await newSearch(world, 'away');
  await runWithout(search, 1_000);
  const pool = Object.assign(Object.create(world.db.pool), {
    connect: () => Promise.reject(Object.assign(new Error('gone'), { code: '57P01' })),
  });
  await expect(
    derivePending({ ...world.ctx, db: { ...world.db, pool } }, { settleMs: null }),
  ).rejects.toThrow();
  expect(await readSetAside(world.db, 10)).toEqual([]);
  await followAt(1_001);
  expect(await derivedOf(search)).toBe(1);
});

/** A run whose reading waits. */
async function runWithout(search: Search, minutes: number): Promise<void> {
  await runAndDerive(world, search, minutes, posts(search, minutes), null);
}

test('an unavailable database is logged once, and once when it is back', async () => {
  let isAway = true;
  const db = intercepted(world.db, {
    ofConnections: (query, given) =>
      isAway ? Promise.reject(new Error('connection refused')) : query(...given),
  });
  const said: string[] = [];
  const log = createLogger('silent');
  log.error = log.info = (...given: readonly unknown[]) => said.push(String(given.at(-1)));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const stop = startFollower({ ...world.ctx, db, log });
    const attempt = async () => {
      vi.advanceTimersByTime(FOLLOWER_INTERVAL_MS);
      await wait(300);
    };
    for (let n = 0; n < 3; n += 1) await attempt();
    isAway = false;
    for (let n = 0; n < 2; n += 1) await attempt();
    await stop();
  } finally {
    vi.useRealTimers();
  }
  expect(said).toEqual(['derivation failed; retrying', 'derivation recovered']);
});
