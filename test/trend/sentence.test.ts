import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPercent, formatTenths, formatTimeOfDay } from '../../src/lib/display-format.ts';
import {
  composeSpikeSentence,
  composeSpikeSentences,
  type SpikeFacts,
} from '../../src/monitor/trends/rules/spike-sentence.ts';
import { composeStateSentence, type StateFacts } from '../../src/monitor/trends/rules/state-sentence.ts';
import { MIN_CAUSE_SHARE } from '../../src/monitor/trends/rules/voices.ts';

const told: SpikeFacts = {
  measure: 'posts',
  window_start: new Date('2026-11-21T13:00:00Z'),
  window_end: new Date('2026-11-21T14:00:00Z'),
  n: 142,
  lower_bound: false,
  coverage: 1,
  usual: 22.5,
  days: 14,
  weekday_usual: null,
  provisional: false,
  tz: 'Europe/Berlin',
  top_share: null,
  author_share: null,
  only_by: null,
};

const WHEN = 'on 21 Nov 2026 between 14:00 and 15:00 Europe/Berlin time';

test.each<[string, Partial<SpikeFacts>, string]>([
  [
    'in the zone of its search',
    {},
    `142 posts ${WHEN}, 6.3x the usual 22.5. Usual: around this time, last 14 days.`,
  ],
  [
    'in UTC',
    { tz: 'UTC' },
    '142 posts on 21 Nov 2026 between 13:00 and 14:00 UTC, 6.3x the usual 22.5. Usual: around this time, last 14 days.',
  ],
  [
    'a lower bound is marked',
    { n: 100, lower_bound: true, coverage: 0.2, usual: 20 },
    `At least 100 posts ${WHEN}, at least 5x the usual 20. Usual: around this time, last 14 days.`,
  ],
  [
    'with partial coverage, what is compared is said',
    { n: 60, coverage: 0.75, usual: 20 },
    `60 posts ${WHEN}, 75 % of it observed. That is 80 for the whole time, 4x the usual 20. Usual: around this time, last 14 days.`,
  ],
  [
    'a rate that was measured over minutes says over how many',
    { n: 140, coverage: 0.1, usual: 222 },
    `About 1,400 posts an hour ${WHEN}, 6.3x the usual 222. Measured over 6 of 60 minutes. Usual: around this time, last 14 days.`,
  ],
  [
    'the loudest author is named by the share',
    { author_share: 0.34 },
    `142 posts ${WHEN}, 6.3x the usual 22.5. Usual: around this time, last 14 days. One author wrote 34 % of them.`,
  ],
  [
    'an author who is the cause is blamed in a sentence of its own',
    { author_share: 0.34, only_by: 'author' },
    `142 posts ${WHEN}, 6.3x the usual 22.5. Usual: around this time, last 14 days. One author wrote 34 % of them. Without that author, this is no spike.`,
  ],
  [
    'an author who wrote all of it',
    { author_share: 1, only_by: 'author' },
    `142 posts ${WHEN}, 6.3x the usual 22.5. Usual: around this time, last 14 days. One author wrote all of them. Without that author, this is no spike.`,
  ],
  [
    'one post of 44 is blamed by nobody, as rows of earlier versions say',
    { n: 44, author_share: 1 / 44, only_by: 'author' },
    `44 posts ${WHEN}, 2x the usual 22.5. Usual: around this time, last 14 days.`,
  ],
  [
    'copies of one text',
    { only_by: 'text' },
    `142 posts ${WHEN}, 6.3x the usual 22.5. Usual: around this time, last 14 days. Without copies of one text, this is no spike.`,
  ],
  [
    'times in a repeated hour show their offset',
    { window_start: new Date('2026-10-25T00:30:00Z'), window_end: new Date('2026-10-25T01:30:00Z') },
    '142 posts on 25 Oct 2026 between 02:30 GMT+2 and 02:30 GMT+1, 6.3x the usual 22.5. Usual: around this time, last 14 days.',
  ],
  [
    'times beside a repeated hour show it, too: this end comes twice',
    { window_start: new Date('2026-10-24T23:30:00Z'), window_end: new Date('2026-10-25T00:30:00Z') },
    '142 posts on 25 Oct 2026 between 01:30 GMT+2 and 02:30 GMT+2, 6.3x the usual 22.5. Usual: around this time, last 14 days.',
  ],
  [
    'a window over midnight names both days',
    { window_start: new Date('2026-12-31T22:30:00Z'), window_end: new Date('2026-12-31T23:30:00Z') },
    '142 posts from 31 Dec 2026, 23:30 to 1 Jan 2027, 00:30 Europe/Berlin time, 6.3x the usual 22.5. Usual: around this time, last 14 days.',
  ],
  [
    'midnight is the end of a day',
    { window_start: new Date('2026-11-21T22:00:00Z'), window_end: new Date('2026-11-21T23:00:00Z') },
    '142 posts on 21 Nov 2026 between 23:00 and 00:00 Europe/Berlin time, 6.3x the usual 22.5. Usual: around this time, last 14 days.',
  ],
  [
    'no ratio against zero',
    { n: 7, usual: 0, days: 3 },
    `7 posts ${WHEN}, usually none. Usual: around this time, last 3 days.`,
  ],
  [
    'no ratio against a tiny baseline',
    { n: 7, usual: 0.5 },
    `7 posts ${WHEN}, usually fewer than one. Usual: around this time, last 14 days.`,
  ],
  [
    'provisional',
    { days: 1, provisional: true, usual: 20 },
    `142 posts ${WHEN}, 7.1x the usual 20. Usual: around this time, last day (provisional).`,
  ],
  [
    'a window of a day is named by its end',
    { window_start: new Date('2026-11-20T14:00:00Z'), n: 12, usual: 3 },
    '12 posts in the 24 hours to 21 Nov 2026, 15:00 Europe/Berlin time, 4x the usual 3. Usual: last 14 days.',
  ],
  [
    'growth shows the share of the post that gained most',
    { measure: 'engagement', n: 3_400, usual: 340, top_share: 0.62 },
    `Known posts gained 3,400 likes, reposts, replies and quotes ${WHEN}, 10x the usual 340. Usual: around this time, last 14 days. One post accounts for 62 %.`,
  ],
  [
    'growth spread over time is rounded',
    { measure: 'engagement', n: 1_239.6, usual: 240, top_share: 0.3 },
    `Known posts gained 1,240 likes, reposts, replies and quotes ${WHEN}, 5.2x the usual 240. Usual: around this time, last 14 days. One post accounts for 30 %.`,
  ],
  [
    'a weekday is named if four weeks were observed',
    { weekday_usual: 35.5 },
    `142 posts ${WHEN}, 6.3x the usual 22.5. Usual: around this time, last 14 days. It is 4x the usual 35.5 of a Saturday (last 4 weeks).`,
  ],
  [
    'in the zone of the search',
    { weekday_usual: 35.5, tz: 'Pacific/Auckland', window_start: new Date('2026-11-21T13:00:00Z') },
    '142 posts on 22 Nov 2026 between 02:00 and 03:00 Pacific/Auckland time, 6.3x the usual 22.5. Usual: around this time, last 14 days. It is 4x the usual 35.5 of a Sunday (last 4 weeks).',
  ],
  [
    'no ratio against a weekday with a tiny baseline',
    { weekday_usual: 0 },
    `142 posts ${WHEN}, 6.3x the usual 22.5. Usual: around this time, last 14 days.`,
  ],
])('%s', (_, change, sentence) => {
  expect(composeSpikeSentence({ ...told, ...change })).toBe(sentence);
});

test('times use the zone of the reader, without the present year; the weekday stays that of the search', () => {
  const spike = { ...told, weekday_usual: 35.5, window_start: new Date('2026-11-21T13:00:00Z') };
  const reader = { zone: 'Pacific/Auckland', now: new Date('2026-12-01T00:00:00Z') };
  expect(composeSpikeSentence(spike, reader)).toBe(
    '142 posts on 22 Nov between 02:00 and 03:00 Pacific/Auckland time, 6.3x the usual 22.5. Usual: around this time, last 14 days. It is 4x the usual 35.5 of a Saturday (last 4 weeks).',
  );
  expect(composeSpikeSentence(spike, { ...reader, now: new Date('2027-01-01T00:00:00Z') })).toMatch(
    /^142 posts on 22 Nov 2026 between/,
  );
});

const share = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null });
const drawnSpike: fc.Arbitrary<SpikeFacts> = fc
  .record({
    measure: fc.constantFrom('posts' as const, 'engagement' as const),
    end: fc.integer({ min: 100_000, max: 4_000_000 }),
    width: fc.constantFrom(4, 12, 24, 96, 288),
    n: fc.integer({ min: 5, max: 1_000_000 }),
    lower_bound: fc.boolean(),
    coverage: fc.double({ min: 0.001, max: 1, noNaN: true }),
    usual: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 100_000, noNaN: true })),
    days: fc.integer({ min: 1, max: 42 }),
    weekday_usual: fc.option(fc.double({ min: 0, max: 100_000, noNaN: true }), { nil: null }),
    provisional: fc.boolean(),
    tz: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'),
    top_share: share,
    author_share: share,
    only_by: fc.constantFrom('author' as const, 'text' as const, null),
  })
  .map(({ end, width, ...facts }) => ({
    ...facts,
    window_start: new Date((end - width) * 900_000),
    window_end: new Date(end * 900_000),
  }));

test('each number of a sentence is one of the spike, and each sentence has one idea', () => {
  fc.assert(
    fc.property(drawnSpike, (spike) => {
      const sentences = composeSpikeSentences(spike);
      const [first] = sentences;
      const text = sentences.join(' ');
      for (const one of sentences) {
        expect(one).toMatch(/^[A-Z0-9].*\.$/);
        expect(one.split(' ').length).toBeLessThanOrEqual(28);
        expect(one).not.toContain(';');
      }
      // The day and the times are those of the window, in the zone that is named.
      expect(first).toContain(formatTimeOfDay(spike.window_end, spike.tz));
      expect(first).toContain(String(new Date(spike.window_end).getUTCFullYear()).slice(0, 2));
      // The ratio and what is usual agree with what was counted.
      const ratio = /([\d.,]+)x the usual ([\d.,]+)/.exec(text);
      const value = spike.lower_bound ? spike.n : spike.n / spike.coverage;
      const parse = (given: string | undefined) => Number(given?.replaceAll(',', '').replace(/\.$/, ''));
      const isRate = text.startsWith('About');
      const hours = isRate ? (spike.window_end.getTime() - spike.window_start.getTime()) / 3_600_000 : 1;
      if (spike.usual / hours < 1) expect(first + text).toMatch(/usually (?:none|fewer than one)/);
      else {
        expect(parse(ratio?.[2])).toBeCloseTo(spike.usual / hours, 0);
        expect(Math.abs(parse(ratio?.[1]) - value / spike.usual)).toBeLessThanOrEqual(0.0501);
      }
      if (!isRate) expect(first).toContain(formatTenths(spike.n));
      // Nobody is blamed without a large share.
      const isBlamed = text.includes('Without that author');
      if (isBlamed) expect(spike.author_share ?? 0).toBeGreaterThanOrEqual(MIN_CAUSE_SHARE);
      if (isBlamed && spike.author_share !== 1)
        expect(text).toContain(formatPercent(spike.author_share ?? 0));
      expect(text.includes('copies of one text')).toBe(spike.only_by === 'text');
    }),
  );
});

const DAY = 86_400_000;
const state: StateFacts = {
  state: 'rising',
  since: new Date('2026-11-12T00:00:00Z'),
  at: new Date('2026-11-21T00:10:00Z'),
  previous_state: null,
  previous_since: null,
  compared_since: null,
  rate_before: 40,
  rate: 95,
  observed_hours: null,
  expected: null,
  tz: 'Europe/Berlin',
};
const ended = {
  state: 'normal',
  previous_since: state.since,
  since: new Date('2026-11-17T00:00:00Z'),
} as const;

test.each<[string, Partial<StateFacts>, string]>([
  ['rising', {}, 'Rising since 12 Nov 2026 (UTC): from about 40 to 95 posts a day within 9 days.'],
  [
    'falling',
    { state: 'falling', rate_before: 1_234, rate: 95.6 },
    'Falling since 12 Nov 2026 (UTC): from about 1,200 to 96 posts a day within 9 days.',
  ],
  [
    'a new level, up from nothing',
    { state: 'new_level', rate_before: 0, rate: 24 },
    'New level since 12 Nov 2026 (UTC): about 24 posts a day, up from 0.',
  ],
  [
    'a rate that is not zero is not shown as zero',
    { state: 'new_level', rate_before: 0.04, rate: 24 },
    'New level since 12 Nov 2026 (UTC): about 24 posts a day, up from fewer than 0.1.',
  ],
  [
    'silent',
    { state: 'silent', since: new Date('2026-11-03T14:00:00Z'), observed_hours: 26.2, expected: 84.4 },
    'Silent since 3 Nov 2026, 15:00 Europe/Berlin time: no post in 26 observed hours, usually 84.',
  ],
  [
    'the end of a silence',
    { ...ended, previous_state: 'silent' },
    'Back to normal after 5 days of silence: posts again since 17 Nov 2026, 01:00 Europe/Berlin time.',
  ],
  [
    'the end of a rise',
    { ...ended, previous_state: 'rising' },
    'No longer rising after 5 days: about 95 posts a day, 40 before.',
  ],
  [
    'a level that is over: both rates, which are not always the same',
    { ...ended, previous_state: 'new_level', rate: 47 },
    'Back to normal after 5 days: about 47 posts a day, 40 before.',
  ],
])('a state: %s', (_, change, sentence) => {
  expect(composeStateSentence({ ...state, ...change })).toBe(sentence);
});

test.for([
  [0.04, 'fewer than 0.1'],
  [0.145, '0.1'],
  [0.949, '0.9'],
  [0.95, '1'],
  [1.44, '1.4'],
  [9.96, '10'],
  [144, '140'],
] as const)('a rate of %d posts a day is shown as %s', ([rate, shown]) => {
  expect(composeStateSentence({ ...state, state: 'new_level', rate_before: 0, rate })).toContain(
    `about ${shown} posts a day`,
  );
});

test('a sentence of a state has the rates of the state, to two digits', () => {
  const rate = fc.double({ min: 0, max: 1e6, noNaN: true });
  const states = fc.constantFrom('rising' as const, 'falling' as const, 'new_level' as const);
  fc.assert(
    fc.property(rate, rate, states, fc.integer({ min: 1, max: 60 }), (before, now, name, days) => {
      const at = new Date(state.since.getTime() + days * DAY + 600_000);
      const text = composeStateSentence({ ...state, state: name, rate_before: before, rate: now, at });
      const shown = [...(text.split('(UTC): ')[1] ?? '').matchAll(/(?:fewer than )?([\d.,]*\d)/g)].map(
        ([all, n]) => (all.startsWith('fewer') ? 0.04 : Number(n?.replaceAll(',', ''))),
      );
      const expected = name === 'new_level' ? [now, before] : [before, now, days];
      expect(shown).toHaveLength(expected.length);
      for (const [i, value] of expected.entries())
        expect(Math.abs((shown[i] ?? Number.NaN) - value)).toBeLessThanOrEqual(
          Math.max(0.0501, value * 0.0501),
        );
      if (name === 'new_level') expect(text.includes(' down from ')).toBe(now < before);
    }),
  );
});
