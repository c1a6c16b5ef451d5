import { expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import {
  createSearch,
  editSearch,
  insertCheckedSearch,
  type NewSearch,
} from '../../src/monitor/topics/save-search.ts';
import { checkSearch } from '../../src/monitor/topics/search-definition.ts';
import { changeSearch, changeTopic } from '../../src/monitor/topics/search-state.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { until } from '../processes.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { world, rows } = await stubbedWorld();

const MINUTE = 60_000;
const add = (slug: string, over: Partial<NewSearch> = {}) =>
  createSearch(world.ctx, { slug, operation: 'microblog', prompt: slug, cron: '*/15 * * * *', ...over });
const stateOf = async (searchId: bigint) =>
  (await rows('SELECT state, next_due_at FROM strandline.searches WHERE id = $1', [searchId]))[0];
const at = (time: string) => new Date(`2026-11-21T${time}:00Z`);

/** A search whose schedule an older release wrote, or whose zone is no more. */
async function unreadable(slug: string) {
  const { search, firstRunId } = await add(slug);
  await executeRun(world.ctx, firstRunId);
  await rows(`UPDATE strandline.search_versions SET cron = 'every now and then' WHERE search_id = $1`, [
    search.id,
  ]);
  world.clock.advance(15 * MINUTE);
  return search;
}

test('a search with an unparsable schedule resumes once its schedule is edited', async () => {
  await unreadable('found-by-the-edit');
  const { search: edited } = await editSearch(world.ctx, 'found-by-the-edit', { cron: '0 * * * *' });
  expect(edited).toMatchObject({ state: 'active', state_reason: null, next_due_at: at('13:00') });
});

test('a paused search stays paused when its schedule is edited, parsable before or not', async () => {
  const search = await unreadable('edited-at-rest');
  await changeSearch(world.ctx, 'edited-at-rest', 'pause');
  await editSearch(world.ctx, 'edited-at-rest', { cron: '0 * * * *' });
  await editSearch(world.ctx, 'edited-at-rest', { cron: '30 * * * *' });
  expect(await stateOf(search.id)).toEqual({ state: 'paused', next_due_at: null });
  await changeSearch(world.ctx, 'edited-at-rest', 'resume');
  expect(await stateOf(search.id)).toEqual({ state: 'active', next_due_at: at('12:30') });
});

test('a search stopped by a rejected key waits for a person, whatever is edited', async () => {
  const { search } = await add('refused');
  await rows(`UPDATE strandline.searches SET state = 'broken', next_due_at = NULL WHERE id = $1`, [
    search.id,
  ]);
  await editSearch(world.ctx, 'refused', { cron: '0 * * * *' });
  expect(await stateOf(search.id)).toEqual({ state: 'broken', next_due_at: null });
});

test('resuming a search with an unparsable schedule leaves it broken, with the reason', async () => {
  await unreadable('resumed-unreadable');
  await changeSearch(world.ctx, 'resumed-unreadable', 'pause');
  expect(await changeSearch(world.ctx, 'resumed-unreadable', 'resume')).toMatchObject({
    state: 'broken',
    state_reason: 'the schedule is invalid; edit it',
    next_due_at: null,
  });
});

test.each([
  ['active', null],
  ['capped', null],
  ['paused', at('12:15')],
  ['broken', at('12:15')],
])('the database refuses a search that is %s and due at %s', async (state, next) => {
  const { search } = await add(`impossible-${state}`);
  await expect(
    rows('UPDATE strandline.searches SET state = $2, next_due_at = $3 WHERE id = $1', [
      search.id,
      state,
      next,
    ]),
  ).rejects.toMatchObject({ constraint: 'searches_next_due' });
});

test('a search created while its topic is removed is removed with it', async () => {
  const { search } = await add('first-of-two', { topic: 'both' });
  const second = checkSearch({ slug: 'second-of-two', operation: 'microblog', prompt: 'two', every: '15m' });
  const service = { id: search.service_id, kind: search.service_kind };
  const topic = { slug: 'both', name: 'both', sample: false };
  let removal: Promise<unknown> = Promise.resolve();
  await inTransaction(world.db, async (tx) => {
    await insertCheckedSearch(world.ctx, tx, { checked: second, topic, service });
    removal = changeTopic(world.ctx, 'both', 'remove');
    await until('the removal waits', async () => {
      const waiting = await rows(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
  });
  await removal;
  expect(
    await rows(
      `SELECT s.slug, s.archived_at IS NOT NULL AS gone FROM strandline.searches s
       JOIN strandline.topics t ON t.id = s.topic_id WHERE t.slug = 'both' ORDER BY s.slug`,
    ),
  ).toEqual([
    { slug: 'first-of-two', gone: true },
    { slug: 'second-of-two', gone: true },
  ]);
});

test('a search in a removed topic is refused without writing anything', async () => {
  await add('before', { topic: 'again' });
  await changeTopic(world.ctx, 'again', 'remove');
  await expect(add('after', { topic: 'again' })).rejects.toMatchObject({ name: 'Refused', kind: 'conflict' });
  expect(
    await rows(
      `SELECT s.slug, t.archived_at IS NOT NULL AS removed FROM strandline.searches s
       JOIN strandline.topics t ON t.id = s.topic_id WHERE t.slug = 'again'`,
    ),
  ).toEqual([{ slug: 'before', removed: true }]);
});
