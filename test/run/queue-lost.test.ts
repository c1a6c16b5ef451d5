/** The queue in Postgres is lost or damaged while runs wait: the next process creates it again, and they run. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, wirePost } from '../stub-service.ts';
import { type Fleet, openFleet } from '../fleet.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await openFleet(null);
  fleet.stub.answers(json({ miner_tweets: [wirePost('1')] }));
});
afterAll(() => fleet.close());

test.each([
  ['its schema was dropped', 'DROP SCHEMA bullmq CASCADE'],
  ['a table was dropped', 'DROP TABLE bullmq.job CASCADE'],
  [
    'all tables were truncated',
    `DO $$ DECLARE t text; BEGIN
       FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'bullmq' LOOP EXECUTE format('TRUNCATE bullmq.%I CASCADE', t); END LOOP;
     END $$`,
  ],
  [
    'all tables but the list of migrations were truncated',
    `DO $$ DECLARE t text; BEGIN
       FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'bullmq' AND tablename <> 'migration' LOOP EXECUTE format('TRUNCATE bullmq.%I CASCADE', t); END LOOP;
     END $$`,
  ],
])('%s: waiting runs are executed', async (what, statement) => {
  const slug = what.replaceAll(' ', '-');
  const run = await fleet.add(slug, 'harbour');
  expect(await fleet.rows(`SELECT status FROM strandline.runs WHERE id = $1`, [run])).toEqual([
    { status: 'queued' },
  ]);
  await fleet.rows(statement);
  await fleet.start();
  expect(await fleet.ended(run)).toMatchObject({ status: 'succeeded', fence: 1 });
  // And its repeatable job calls scans again.
  const next = await fleet.add(`${slug}-next`, 'harbour');
  expect(await fleet.ended(next)).toMatchObject({ status: 'succeeded' });
  await fleet.clear();
});
