/** Which problems begin and end, of what checks see: pure. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { SystemEvent } from '../../src/store/alerts/system-event-rows.ts';
import {
  explainEnd,
  listConditions,
  type SystemReading,
} from '../../src/monitor/system-events/conditions.ts';
import {
  type Condition,
  decideEvents,
  RECURRENCE_MS,
} from '../../src/monitor/system-events/event-decision.ts';
import type { SearchStatus } from '../../src/monitor/status/search-status.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const at = (ms: number) => new Date(START + ms);

const condition = (more: Partial<Condition> = {}): Condition => ({
  kind: 'nothing_coming',
  subject_key: '7',
  subject: 'ferry',
  search_id: 7n,
  since: at(0),
  evidence_at: null,
  reason: null,
  advice: null,
  ...more,
});

/** Checks, one a minute unless said otherwise, each with what it sees. @returns all events, in order */
function check(
  seen: readonly (readonly Condition[])[],
  { everyMs = MINUTE, outcome = 'recovered' as const }: { everyMs?: number; outcome?: 'recovered' } = {},
): SystemEvent[] {
  let events: SystemEvent[] = [];
  let nextId = 1n;
  let lastCheckAt: Date | null = null;
  for (const [i, conditions] of seen.entries()) {
    const now = at(i * everyMs);
    const recent = events.filter(
      ({ until }) => until === null || now.getTime() - until.getTime() < RECURRENCE_MS,
    );
    const changes = decideEvents(recent, { now, lastCheckAt, conditions, explainEnd: () => outcome });
    const changed = new Map(changes.changed.map((event) => [event.id, event]));
    events = events
      .filter(({ id }) => !changes.dropped.includes(id))
      .map((event) => changed.get(event.id) ?? event);
    for (const event of changes.noticed) events.push({ id: nextId++, ...event });
    lastCheckAt = now;
  }
  return events;
}

const times = (n: number, ...conditions: Condition[]) => Array.from({ length: n }, () => conditions);
const opened = (events: readonly SystemEvent[]) => events.filter(({ opened_at }) => opened_at !== null);

describe('a problem', () => {
  test('begins with the second check that sees it, and ends with the first of five minutes without it', () => {
    const events = check([...times(3), ...times(4, condition()), ...times(9)]);
    expect(events).toMatchObject([
      { opened_at: at(4 * MINUTE), until: at(7 * MINUTE), outcome: 'recovered', since: at(0) },
    ]);
  });

  test('that one check sees leaves nothing', () => {
    expect(check([[], [condition()], [], []])).toEqual([]);
  });

  test('is not confirmed by a check that runs twice at once', () => {
    expect(opened(check(times(2, condition()), { everyMs: 10 }))).toEqual([]);
  });

  test('with one run as evidence waits for the second, or half an hour', () => {
    const one = condition({ kind: 'search_failing', evidence_at: at(0) });
    const two = condition({ kind: 'search_failing', evidence_at: at(10 * MINUTE) });
    expect(check([...times(10, one), ...times(2, two)])).toMatchObject([{ opened_at: at(10 * MINUTE) }]);
    expect(check(times(40, one))).toMatchObject([{ opened_at: at(30 * MINUTE) }]);
  });

  test('is not confirmed across a pause of the checks', () => {
    expect(opened(check(times(2, condition()), { everyMs: HOUR }))).toEqual([]);
    expect(opened(check(times(9, condition()), { everyMs: HOUR }))).toEqual([]);
  });

  test('of silence takes ten minutes: after sleep, the first run needs its time', () => {
    const silent = condition({ kind: 'search_silent' });
    expect(opened(check(times(10, silent)))).toEqual([]);
    expect(opened(check(times(11, silent)))).toHaveLength(1);
  });

  test('keeps its beginning, and has the newest reason', () => {
    const events = check([
      ...times(3, condition({ reason: 'a' })),
      ...times(2, condition({ reason: 'b', since: at(9) })),
    ]);
    expect(events).toMatchObject([{ since: at(0), reason: 'b' }]);
  });
});

test('what comes and goes all day is few problems, each begun once and ended once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 90 })), { minLength: 8 }),
      (spans) => {
        const minutes = spans
          .flatMap(([on, off]) => [...times(on, condition()), ...times(off)])
          .slice(0, DAY / MINUTE);
        const events = opened(check(minutes));
        // 5, 10, 20, ... minutes of quiet: the seventh would take five hours.
        expect(events.length).toBeLessThanOrEqual(8);
        for (const [i, { noticed_at }] of events.entries()) {
          const before = events[i - 1];
          if (before !== undefined) expect(before.until?.getTime()).toBeLessThan(noticed_at.getTime());
        }
        expect(events.filter(({ until }) => until === null).length).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 60 },
  );
});

const reading = (more: Partial<SystemReading> = {}): SystemReading => ({
  now: at(0),
  searches: [],
  tools: [],
  channels: [],
  services: [],
  workers: [],
  ...more,
});
const search = (status: SearchStatus['status'], id = 7n): SearchStatus => ({
  search_id: id,
  search: `search-${id}`,
  topic: 'ferry',
  status,
  since: at(-HOUR),
  last_run_id: 1n,
  last_run_at: at(-MINUTE),
  last_success_at: null,
  next_due_at: null,
  paused_until: null,
  pauses: [],
  reason: 'why',
  advice: null,
});

test.each([
  ['failing', 'search_failing'],
  ['broken', 'search_stopped'],
  ['silent', 'search_silent'],
  ['nothing_coming', 'nothing_coming'],
  ['waiting_for_source', 'source_down'],
  ['capped', undefined],
  ['paused', undefined],
  ['waiting', undefined],
  ['ok', undefined],
] as const)('a search that is %s: %s', (status, kind) => {
  expect(listConditions(reading({ searches: [search(status)] })).map((one) => one.kind)).toEqual(
    kind === undefined ? [] : [kind],
  );
});

test('searches that wait for any source are one problem', () => {
  const searches = [search('waiting_for_source', 1n), search('waiting_for_source', 2n)];
  expect(listConditions(reading({ searches }))).toMatchObject([{ kind: 'source_down', since: at(-HOUR) }]);
});

const channel = (more: Partial<SystemReading['channels'][number]>) => ({
  id: 3n,
  slug: 'ops',
  state: 'active' as const,
  state_reason: null,
  state_since: at(-DAY),
  failures: 0,
  failing_since: null,
  ...more,
});

test('a channel is dead when it is disabled, or fails for an hour', () => {
  const kindsOf = (more: Partial<SystemReading['channels'][number]>) =>
    listConditions(reading({ channels: [channel(more)] })).map(({ kind }) => kind);
  expect(kindsOf({ state: 'disabled', state_reason: 'gone' })).toEqual(['channel_dead']);
  expect(kindsOf({ failures: 4, failing_since: at(-HOUR) })).toEqual(['channel_dead']);
  expect(kindsOf({ failures: 4, failing_since: at(-HOUR + SECOND) })).toEqual([]);
  expect(kindsOf({ state: 'paused', failures: 4, failing_since: at(-DAY) })).toEqual([]);
});

test('the budget is nearly spent at nine tenths; without a limit never', () => {
  const spent = (calls_today: number, calls_per_day: number | null) =>
    listConditions(reading({ services: [{ name: 'hosted', calls_today, calls_per_day }] })).length;
  expect([spent(89, 100), spent(90, 100), spent(1_000, null), spent(0, 0)]).toEqual([0, 1, 0, 0]);
});

test('a worker that vanished is a problem, unless one that started later takes its place', () => {
  const worker = (name: string, started: number, seen: number, silent: boolean) => ({
    name,
    started_at: at(started * MINUTE),
    seen_at: at(seen * MINUTE),
    silent,
  });
  const subjects = (...workers: SystemReading['workers'][number][]) =>
    listConditions(reading({ workers })).map((one) => one.subject);
  const live = worker('b', -60, 0, false);
  expect(subjects(worker('a', -60, -10, true), live)).toEqual(['a']);
  expect(subjects(worker('a', -60, -10, true), worker('c', -9, 0, false), live)).toEqual([]);
  expect(
    subjects(worker('a', -60, -10, true), worker('d', -60, -20, true), worker('c', -9, 0, false), live),
  ).toEqual(['d']);
  expect(subjects(live)).toEqual([]);
});

test.each([
  ['ok', 'recovered'],
  ['waiting', 'recovered'],
  ['paused', 'paused'],
  ['removed', 'removed'],
  ['broken', 'replaced'],
  ['capped', 'replaced'],
] as const)('a problem of a search that is now %s has ended: %s', (status, outcome) => {
  const [event] = check(times(1, condition()));
  if (event === undefined) throw new Error('no event');
  expect(explainEnd(event, reading({ searches: [search(status)] }))).toBe(outcome);
  expect(explainEnd(event, reading())).toBe('removed');
});

test('the budget of a day ends with the day', () => {
  const [event] = check(times(1, condition({ kind: 'budget_low', search_id: null, subject_key: 'hosted' })));
  if (event === undefined) throw new Error('no event');
  expect(explainEnd(event, reading({ now: at(HOUR) }))).toBe('recovered');
  expect(explainEnd(event, reading({ now: at(12 * HOUR) }))).toBe('day_ended');
});
