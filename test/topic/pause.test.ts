/** Pauses with an end, and the pause of all searches: each is a fact of its own. */
import { beforeEach, describe, expect, test } from 'vitest';
import { parseFutureTime } from '../../src/lib/future-time.ts';
import { readSearchStatuses } from '../../src/monitor/status/search-status.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { createSearch, editSearch, type NewSearch } from '../../src/monitor/topics/save-search.ts';
import { changeAll, changeSearch, changeTopic } from '../../src/monitor/topics/search-state.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { world, rows } = await stubbedWorld();

const at = (time: string) => new Date(`2026-11-21T${time}:00.000Z`);
const until = (given: string) => parseFutureTime(given, 'UTC');

/** A search that is due at each quarter of the hour, whose first run is over. */
async function add(slug: string, over: Partial<NewSearch> = {}) {
  const { search, firstRunId } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    cron: '*/15 * * * *',
    ...over,
  });
  await executeRun(world.ctx, firstRunId);
  return search;
}

const stateOf = async (slug: string) =>
  (
    await rows(
      'SELECT state, next_due_at, paused_until, pauses FROM strandline_analytics.searches WHERE slug = $1',
      [slug],
    )
  )[0];
const slotsOf = async (slug: string) =>
  (
    await rows(
      `SELECT to_char(slot_at AT TIME ZONE 'UTC', 'HH24:MI') || ' ' || status || coalesce(' ' || reason, '') AS slot
       FROM strandline_analytics.runs WHERE search = $1 AND slot_at IS NOT NULL ORDER BY slot_at`,
      [slug],
    )
  ).map(({ slot }) => slot);
const historyOf = async (slug: string) =>
  rows(
    'SELECT state, began_at, ended_at FROM strandline_analytics.search_states WHERE search = $1 ORDER BY began_at',
    [slug],
  );
const goTo = (time: string) => world.clock.set(at(time).toISOString());
const active = (next: string) => ({
  state: 'active',
  next_due_at: at(next),
  paused_until: null,
  pauses: [],
});
const paused = (end: string | null, ...pauses: string[]) => ({
  state: 'paused',
  next_due_at: null,
  paused_until: end === null ? null : at(end),
  pauses,
});

// Each test pauses all: searches of the tests before are not in it.
beforeEach(async () => {
  for (const { slug } of await rows('SELECT slug FROM strandline.searches WHERE archived_at IS NULL'))
    await changeSearch(world.ctx, slug, 'remove');
});

describe('a pause with an end', () => {
  test('ends by the clock: no slot of the pause has a row, and the slot at its end runs', async () => {
    await add('quarters');
    await changeSearch(world.ctx, 'quarters', 'pause', until('1h'));
    expect(await stateOf('quarters')).toEqual(paused('13:00', 'search'));
    goTo('12:59');
    await scan(world.ctx);
    expect(await stateOf('quarters')).toEqual(paused('13:00', 'search'));
    goTo('13:00');
    await scan(world.ctx);
    expect(await stateOf('quarters')).toEqual(active('13:15'));
    expect(await slotsOf('quarters')).toEqual(['13:00 queued']);
    expect(await historyOf('quarters')).toMatchObject([
      { state: 'active', ended_at: at('12:00') },
      { state: 'paused', began_at: at('12:00'), ended_at: at('13:00') },
      { state: 'active', began_at: at('13:00'), ended_at: null },
    ]);
  });

  test('is over while nothing scans: slots from its end on were missed, the latest runs', async () => {
    await add('downtime');
    await changeSearch(world.ctx, 'downtime', 'pause', until('12:50'));
    goTo('13:31');
    await scan(world.ctx);
    expect(await slotsOf('downtime')).toEqual([
      '13:00 skipped missed',
      '13:15 skipped missed',
      '13:30 queued',
    ]);
    expect((await historyOf('downtime')).at(-1)).toMatchObject({ state: 'active', began_at: at('12:50') });
  });

  test('of an adaptive search makes it due again', async () => {
    await add('adaptive', { cron: undefined, every: 'auto 10m-1h' });
    await changeSearch(world.ctx, 'adaptive', 'pause', until('3h'));
    goTo('14:59');
    await scan(world.ctx);
    expect(await stateOf('adaptive')).toEqual(paused('15:00', 'search'));
    goTo('15:00');
    const next = (await scan(world.ctx))?.nextDueAt;
    expect(await stateOf('adaptive')).toMatchObject({ state: 'active', next_due_at: next });
    expect(next?.getTime()).toBeGreaterThan(at('15:00').getTime());
  });

  test('is what the next scan is at, for whoever waits for it', async () => {
    await add('waited-for');
    await changeSearch(world.ctx, 'waited-for', 'pause', until('40m'));
    expect((await scan(world.ctx))?.nextDueAt).toEqual(at('12:40'));
    await changeSearch(world.ctx, 'waited-for', 'pause');
    expect((await scan(world.ctx))?.nextDueAt).toBeNull();
  });

  test('can be moved, and be made one without an end', async () => {
    await add('moved');
    await changeSearch(world.ctx, 'moved', 'pause', until('1h'));
    await changeSearch(world.ctx, 'moved', 'pause', until('2h'));
    expect(await stateOf('moved')).toEqual(paused('14:00', 'search'));
    await changeSearch(world.ctx, 'moved', 'pause');
    goTo('20:00');
    await scan(world.ctx);
    expect(await stateOf('moved')).toEqual(paused(null, 'search'));
  });

  test('survives an edit of the schedule, which then decides', async () => {
    await add('edited');
    await changeSearch(world.ctx, 'edited', 'pause', until('1h'));
    await editSearch(world.ctx, 'edited', { cron: '20 * * * *' });
    goTo('13:05');
    await scan(world.ctx);
    expect(await stateOf('edited')).toEqual(active('13:20'));
    expect(await slotsOf('edited')).toEqual([]);
  });

  test.each(['11:59', '12:00'])('cannot end at 2026-11-21T%sZ, when it is 12:00', async (end) => {
    await add(`past-${end.replace(':', '-')}`);
    await expect(
      changeSearch(world.ctx, `past-${end.replace(':', '-')}`, 'pause', until(`2026-11-21T${end}Z`)),
    ).rejects.toMatchObject({ problems: [{ path: 'until', given: `2026-11-21T${end}Z` }] });
  });

  test('with an unreadable schedule leaves the search broken, with the reason', async () => {
    const search = await add('unreadable');
    await changeSearch(world.ctx, 'unreadable', 'pause', until('1h'));
    await rows(`UPDATE strandline.search_versions SET cron = 'now and then' WHERE search_id = $1`, [
      search.id,
    ]);
    goTo('13:00');
    await scan(world.ctx);
    expect(await stateOf('unreadable')).toMatchObject({ state: 'broken', paused_until: null, pauses: [] });
  });

  test('that is over before the scan saw it counts as over for a person who pauses again', async () => {
    await add('again');
    await changeSearch(world.ctx, 'again', 'pause', until('10m'));
    goTo('12:31');
    await changeSearch(world.ctx, 'again', 'pause');
    expect(await stateOf('again')).toEqual(paused(null, 'search'));
    expect(await slotsOf('again')).toEqual(['12:15 skipped missed', '12:30 cancelled paused']);
  });
});

describe('the pause of all searches', () => {
  test('resumes only what it paused', async () => {
    await add('running');
    await add('by-hand');
    await changeSearch(world.ctx, 'by-hand', 'pause');
    expect(await changeAll(world.ctx, 'pause')).toEqual({
      searches: ['running'],
      still_paused: 1,
      paused_until: null,
    });
    expect(await stateOf('running')).toEqual(paused(null, 'all'));
    expect(await stateOf('by-hand')).toEqual(paused(null, 'search', 'all'));
    goTo('12:20');
    expect(await changeAll(world.ctx, 'resume')).toMatchObject({ searches: ['running'], still_paused: 1 });
    expect(await stateOf('running')).toEqual(active('12:30'));
    expect(await stateOf('by-hand')).toEqual(paused(null, 'search'));
    expect(await slotsOf('running')).toEqual([]);
  });

  test('outlasts a pause by hand that ends before it, and does not make up for its slots', async () => {
    await add('short');
    await changeSearch(world.ctx, 'short', 'pause', until('30m'));
    await changeAll(world.ctx, 'pause');
    goTo('13:01');
    await scan(world.ctx);
    expect(await stateOf('short')).toMatchObject({ state: 'paused', paused_until: null });
    await changeAll(world.ctx, 'resume');
    expect(await stateOf('short')).toEqual(active('13:15'));
    expect(await slotsOf('short')).toEqual([]);
  });

  test('ends by itself, but not for a search that a person paused meanwhile', async () => {
    await add('free');
    await add('kept');
    await changeAll(world.ctx, 'pause', until('1h'));
    await changeSearch(world.ctx, 'kept', 'pause');
    goTo('13:00');
    await scan(world.ctx);
    expect(await stateOf('free')).toEqual(active('13:15'));
    expect(await stateOf('kept')).toMatchObject({ state: 'paused', paused_until: null });
  });

  test('leaves a search alone that is resumed or created during it', async () => {
    await add('asked-for');
    await changeAll(world.ctx, 'pause');
    await changeSearch(world.ctx, 'asked-for', 'resume');
    expect(await stateOf('asked-for')).toEqual(active('12:15'));
    await add('newcomer');
    expect(await stateOf('newcomer')).toEqual(active('12:15'));
  });

  test('leaves broken searches broken, and pauses capped ones', async () => {
    const broken = await add('broken');
    await rows(`UPDATE strandline.searches SET state = 'broken', next_due_at = NULL WHERE id = $1`, [
      broken.id,
    ]);
    const capped = await add('capped');
    await rows(`UPDATE strandline.searches SET state = 'capped' WHERE id = $1`, [capped.id]);
    expect(await changeAll(world.ctx, 'pause')).toMatchObject({ searches: ['capped'] });
    expect((await stateOf('broken')).state).toBe('broken');
    await changeAll(world.ctx, 'resume');
    expect((await stateOf('capped')).state).toBe('active');
  });

  test('is in the audit log, once for each change', async () => {
    await add('audited');
    const before = (await rows('SELECT max(id) AS id FROM strandline.audit_log'))[0].id;
    await changeAll(world.ctx, 'pause', until('1h'));
    await changeAll(world.ctx, 'pause', until('1h'));
    await changeAll(world.ctx, 'resume');
    await changeAll(world.ctx, 'resume');
    expect(
      await rows('SELECT action, subject, changes FROM strandline.audit_log WHERE id > $1 ORDER BY id', [
        before,
      ]),
    ).toEqual([
      {
        action: 'searches.paused',
        subject: null,
        changes: { searches: { after: ['audited'] }, paused_until: { after: '2026-11-21T13:00:00.000Z' } },
      },
      { action: 'searches.resumed', subject: null, changes: { searches: { after: ['audited'] } } },
    ]);
  });

  test('of a search that was paused by an earlier release keeps it paused', async () => {
    const search = await add('old-release');
    await changeSearch(world.ctx, 'old-release', 'pause');
    await rows('UPDATE strandline.searches SET paused_until = NULL WHERE id = $1', [search.id]);
    expect(await stateOf('old-release')).toEqual(paused(null, 'search'));
    await changeAll(world.ctx, 'pause', until('1h'));
    goTo('14:00');
    await scan(world.ctx);
    await changeAll(world.ctx, 'resume');
    expect(await stateOf('old-release')).toEqual(paused(null, 'search'));
  });
});

describe('the pause of a topic', () => {
  test('does not start a search that was paused by itself before', async () => {
    await add('one', { topic: 'pair' });
    await add('two', { topic: 'pair' });
    await changeSearch(world.ctx, 'two', 'pause');
    await changeTopic(world.ctx, 'pair', 'pause', until('1h'));
    goTo('13:00');
    await scan(world.ctx);
    expect(await stateOf('one')).toEqual(active('13:15'));
    expect(await stateOf('two')).toMatchObject({ state: 'paused', paused_until: null });
    await changeTopic(world.ctx, 'pair', 'resume');
    expect(await stateOf('two')).toEqual(active('13:15'));
  });

  test('is said with its end, and why', async () => {
    await add('said', { topic: 'said' });
    await changeTopic(world.ctx, 'said', 'pause', until('1h'));
    const [status] = await readSearchStatuses(world.ctx);
    expect(status).toMatchObject({
      status: 'paused',
      paused_until: at('13:00'),
      reason: 'paused by a user',
      advice: 'Continues by itself; resume to continue now.',
    });
    await changeAll(world.ctx, 'pause');
    const [held] = await readSearchStatuses(world.ctx);
    expect(held).toMatchObject({ paused_until: null, pauses: ['topic', 'all'] });
  });
});
