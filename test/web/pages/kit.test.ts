/** What the page components guarantee: gaps are not zeros, input is kept, untrusted text stays text. */
import * as fc from 'fast-check';
import { h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { Chart } from '../../../src/web/components/chart.tsx';
import { Field, Form } from '../../../src/web/components/form.tsx';
import { type PageFrame, FrameProvider } from '../../../src/web/components/page-frame.tsx';
import { PostCard } from '../../../src/web/components/post-card.tsx';
import { Usd } from '../../../src/web/components/numbers.tsx';
import { Matches, UntrustedText } from '../../../src/web/components/untrusted-text.tsx';
import { ReactionLine, stepValues } from '../../../src/web/topic/reaction-line.tsx';
import { RunStrip } from '../../../src/web/topic/searches-section.tsx';
import { computeChartTicks, computeTicks, roundAxisTop } from '../../../src/web/components/chart-scale.tsx';
import type { RunCell } from '../../../src/store/queries/search-activity.ts';
import { findGaps, findObservedSpans, Sparkline } from '../../../src/web/components/sparkline-svg.tsx';
import { DueTime } from '../../../src/web/components/timestamp.tsx';
import { formatDay, formatTimeToSecond, resolveZone } from '../../../src/lib/display-format.ts';
import { expandScopes } from '../../../src/monitor/access/visitor-scopes.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const frame: PageFrame = {
  now: NOW,
  zone: 'Europe/Berlin',
  theme: null,
  mount: '',
  address: '/',
  kind: 'real',
  free: new Set(['sandbox']),
  topics: [],
  searchNames: new Map(),
  formToken: 'token-of-the-form',
  visitor: { kind: 'local', scopes: expandScopes(['read']), name: null },
  done: null,
  seen: 0n,
};
const shown = <P>(node: VNode<P>) => renderToString(h(FrameProvider, { value: frame, children: node }));
const hours = (n: number) => Array.from({ length: n }, (_, i) => new Date(NOW.getTime() + i * HOUR));

describe('a chart', () => {
  const chart = shown(
    h(Chart, {
      caption: 'Posts per hour',
      at: hours(4),
      seconds: 3_600,
      series: [{ name: 'Posts', values: [3, null, 0, 90], least: [false, false, false, true] }],
      unit: 'posts',
      expected: { name: 'Usual', values: [10, null, 12, 12.5], spread: [4, null, 4, 4] },
      marks: [
        {
          kind: 'spike',
          at: hours(4)[3] ?? NOW,
          until: new Date(NOW.getTime() + 4 * HOUR),
          words: '90 posts.',
        },
        { kind: 'version', at: hours(3)[2] ?? NOW, words: 'v2: query changed to “trains”', short: 'v2' },
      ],
    }),
  );

  test('draws what is usual by hour, and has it in its table', () => {
    expect(chart.match(/class="usual"/g)).toHaveLength(2);
    expect(chart.match(/class="usual-band"/g)).toHaveLength(2);
    expect(chart).toMatch(/>Usual<\/th>.*>12.5<\/data><\/td>/s);
    expect(chart).toMatch(/data-expected="10,,12,12.5" data-spread="4,,4,4"/);
  });

  test('draws unobserved time as a gap and says so in its table', () => {
    expect(chart.match(/class="gap"/g)).toHaveLength(1);
    expect(chart.match(/>not observed</g)?.length).toBeGreaterThan(0);
    expect(chart).toContain('<data value="0">');
  });

  test('marks a lower bound, spikes and versions', () => {
    expect(chart).toMatch(/<data value="90" class="least pale">≥ 90/);
    expect(chart).toMatch(/class="spike-mark"/);
    expect(chart).toMatch(/class="version-mark is-version".*v2/);
    expect(chart).toContain('v2: query changed to “trains”');
  });

  test('shows times in the zone of the visitor', () => {
    expect(chart).toContain('21 Nov, 13:00');
    expect(chart).toContain('times in Europe/Berlin');
  });

  test('has no inline styles, which the CSP would block', () => expect(chart).not.toMatch(/ style=/));
});

test.each([
  ['sandbox', null, 'free'],
  ['own', null, 'not reported'],
  ['hosted', null, 'not reported'],
  [undefined, null, 'not reported'],
  ['own', 0.25, '$0.25'],
])('the cost of a call to %s, reported as %s, is shown as %s', (service, of, words) => {
  expect(shown(h(Usd, { of, service })).replace(/<[^>]*>/g, '')).toBe(words);
});

test.each([
  ['harbour', 'Harbour News', '@harbour'],
  [null, 'Harbour News', 'Harbour News'],
  [null, null, 'unknown author'],
])(
  'the author with the username %s and the name %s is shown as %s',
  (author_username, author_name, words) => {
    const post = {
      id: 1n,
      author_id: 2n,
      author_username,
      author_name,
      text: '',
      url: null,
      created_at: NOW,
    };
    expect(shown(h(PostCard, { post }))).toMatch(
      new RegExp(`class="(?:who|unknown)"[^>]*>(?:<bdi[^>]*>)?${words}<`),
    );
  },
);

test('a chart of shares has percent signs on its axis and in its table', () => {
  const series = [{ name: 'Ferry', values: [12.5, 80] }];
  const shares = shown(
    h(Chart, { caption: 'Shares', at: hours(2), seconds: 0, series, unit: 'percent of all', sign: ' %' }),
  );
  const said = shares.replace(/<[^>]*>/g, ' ');
  expect(shares).toContain('data-sign=" %"');
  for (const one of ['80 %', '40 %', '12.5 %']) expect(said).toContain(one);
});

test('observed spans and gaps cover the whole row', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(), { nil: null })), (values) => {
      const all = [...findObservedSpans(values), ...findGaps(values)].toSorted(([a], [b]) => a - b);
      expect(
        all.flatMap(([from, until]) => Array.from({ length: until - from }, (_, i) => from + i)),
      ).toEqual(values.map((_, i) => i));
      for (const [from, until] of findGaps(values))
        expect(values.slice(from, until).every((v) => v === null)).toBe(true);
    }),
  );
});

test('the accessible name of a sparkline has its numbers and gaps', () => {
  expect(shown(h(Sparkline, { values: [1, null, 4], words: 'Posts a day' }))).toContain(
    'aria-label="Posts a day: total 5, minimum 1, maximum 4, latest 4; 1 of 3 not observed"',
  );
  expect(shown(h(Sparkline, { values: [null, null], words: 'Posts' }))).toContain('Posts: no data');
});

test('an axis ends at or slightly above its maximum', () => {
  fc.assert(
    fc.property(fc.double({ min: 2, max: 1e12, noNaN: true }), (most) => {
      expect(roundAxisTop(most)).toBeGreaterThanOrEqual(most);
      expect(roundAxisTop(most)).toBeLessThanOrEqual(2 * most + 1);
    }),
  );
  expect(roundAxisTop(0)).toBe(2);
  for (let most = 0; most < 2_000; most += 0.5) expect(roundAxisTop(most) % 2, String(most)).toBe(0);
});

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'America/St_Johns',
  'America/Santiago',
  'Pacific/Apia',
];
const readIn = (zone: string) => ({ zone, now: NOW });

test('ticks are within the chart, few, in order, and at midnight of the zone', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4e12 }),
      fc.oneof(fc.integer({ min: 1_000, max: HOUR }), fc.integer({ min: HOUR, max: 1_000 * 24 * HOUR })),
      fc.constantFrom(...ZONES),
      (from, span, zone) => {
        const ticks = computeTicks(from, from + span, readIn(zone));
        expect(ticks.length).toBeLessThanOrEqual(9);
        for (const [i, { at, words }] of ticks.entries()) {
          expect(words).not.toBe(ticks[i - 1]?.words);
          expect(at).toBeGreaterThan(ticks[i - 1]?.at ?? Number.NEGATIVE_INFINITY);
          expect(at >= from - HOUR && at <= from + span).toBe(true);
          // What is written is the time of the place, or the day that begins there.
          const said = new Date(at);
          const reader = readIn(zone);
          const before = formatDay(new Date(at - 1), reader);
          if (words === formatDay(said, reader) && before !== words) continue;
          if (span < 7 * 24 * HOUR) expect(formatTimeToSecond(said, zone)).toContain(words);
        }
      },
    ),
  );
  const minutes = (n: number) => computeTicks(NOW.getTime(), NOW.getTime() + n * 60_000, readIn('UTC'));
  expect(minutes(3).map(({ words }) => words)).toEqual([
    '12:00:00',
    '12:00:30',
    '12:01:00',
    '12:01:30',
    '12:02:00',
    '12:02:30',
    '12:03:00',
  ]);
  expect(minutes(30).map(({ words }) => words)).toContain('12:05');
});

test.each([
  ['Europe/Berlin', '2026-11-20T12:00:00Z', '21 Nov', '2026-11-20T23:00:00Z'],
  ['Asia/Kathmandu', '2026-11-20T12:00:00Z', '21 Nov', '2026-11-20T18:15:00Z'],
  ['America/St_Johns', '2026-11-20T12:00:00Z', '21 Nov', '2026-11-21T03:30:00Z'],
  ['Europe/Berlin', '2025-12-31T12:00:00Z', '1 Jan', '2025-12-31T23:00:00Z'],
  ['Europe/Berlin', '2024-12-31T12:00:00Z', '1 Jan 2025', '2024-12-31T23:00:00Z'],
  // Days of 23 and 25 hours, and one that begins at 01:00.
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '30 Mar', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', '2026-10-25T12:00:00Z', '26 Oct', '2026-10-25T23:00:00Z'],
  ['America/Santiago', '2026-09-05T16:00:00Z', '6 Sept', '2026-09-06T04:00:00Z'],
])('in %s, the day after %s begins at its tick %s', (zone, from, words, at) => {
  const begin = Date.parse(from);
  const ticks = computeTicks(begin, begin + 24 * HOUR, readIn(zone));
  expect(ticks.find((tick) => tick.words === words)?.at).toBe(Date.parse(at));
});

test('the hour that the clock skips has no tick, and times around it are right', () => {
  const from = Date.parse('2026-03-28T23:00:00Z');
  const ticks = computeTicks(from, from + 6 * HOUR, readIn('Europe/Berlin'));
  expect(ticks.map(({ at, words }) => [words, (at - from) / HOUR])).toEqual([
    ['29 Mar', 0],
    ['01:00', 1],
    ['03:00', 2],
    ['04:00', 3],
    ['05:00', 4],
    ['06:00', 5],
    ['07:00', 6],
  ]);
});

test('a day is labeled below the middle of its bar, whatever the zone; the end of the chart has no label', () => {
  const DAY = 24 * HOUR;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 30_000 }),
      fc.integer({ min: 2, max: 400 }),
      fc.constantFrom(...ZONES),
      (first, days, zone) => {
        const from = first * DAY;
        const ticks = computeChartTicks({ from, until: from + days * DAY, seconds: 86_400 }, readIn(zone));
        for (const { at, words } of ticks) {
          const bar = Math.floor(at / DAY) * DAY;
          expect(at - bar).toBe(DAY / 2);
          expect(bar >= from && bar < from + days * DAY).toBe(true);
          expect(words).toBe(formatDay(new Date(bar), readIn('UTC')));
        }
        expect(ticks.length).toBeGreaterThan(0);
      },
    ),
  );
});

test('bars stand where their time is, and the band fits into the chart', () => {
  const at = Array.from({ length: 8 }, (_, i) => new Date(NOW.getTime() + i * 15 * 60_000));
  const chart = shown(
    h(Chart, {
      caption: 'Posts per 15 minutes',
      at,
      seconds: 900,
      series: [{ name: 'Posts', values: [1, 0, 4, 1, 1, 1, 1, 1] }],
      unit: 'posts',
      expected: { name: 'Usual', values: at.map(() => 40), spread: at.map(() => 70) },
    }),
  );
  const third = [...chart.matchAll(/<rect x="([\d.]+)%" width="([\d.]+)%"/g)][1];
  const [x, width] = [Number(third?.[1]), Number(third?.[2])];
  // The third of eight: from a quarter of the chart to three eighths, with a gap.
  expect(x).toBeGreaterThan(25);
  expect(x).toBeLessThan(26);
  expect(x + width).toBeGreaterThan(36.5);
  expect(x + width).toBeLessThan(37.5);
  const heights = [...(/usual-band" d="([^"]+)"/.exec(chart)?.[1] ?? '').matchAll(/ ([\d.]+)/g)];
  expect(Math.min(...heights.map(([, y]) => Number(y)))).toBeGreaterThan(0);
});

test('a row of a chart names its time, its day of UTC, or a repeated hour with its offset', () => {
  const draw = (at: Date[], seconds: number) =>
    shown(
      h(Chart, {
        caption: 'Posts',
        at,
        seconds,
        series: [{ name: 'Posts', values: at.map(() => 1) }],
        unit: 'posts',
      }),
    )
      .match(/<time[^>]*>[^<]+/g)
      ?.map((time) => time.replace(/.*>/, ''));
  const midnight = Date.parse('2026-10-24T23:00:00Z');
  const hoursOf = (n: number) => Array.from({ length: n }, (_, i) => new Date(midnight + i * HOUR));
  expect(draw(hoursOf(5), 3_600)).toEqual([
    'Sun, 25 Oct, 01:00',
    'Sun, 25 Oct, 02:00 GMT+2',
    'Sun, 25 Oct, 02:00 GMT+1',
    'Sun, 25 Oct, 03:00',
    'Sun, 25 Oct, 04:00',
  ]);
  const days = [0, 1].map((i) => new Date(Date.parse('2025-12-31T00:00:00Z') + i * 24 * HOUR));
  expect(draw(days, 86_400)).toEqual(['Wed, 31 Dec 2025', 'Thu, 1 Jan']);
});

const MARKS = '\u0301\u0328\u0489';

test.each([
  // Without marks a letter is the same letter; of anything else it is said that something was left out.
  ['one letter with hundreds of combining marks', `z${MARKS.repeat(100)} tide`, `z${MARKS.repeat(5)} tide`],
  [
    'a name whose letters have too many marks each',
    `z${MARKS.repeat(9)}o${MARKS}`,
    `z${MARKS.repeat(5)}o${MARKS}`,
  ],
  [
    'an emoji joined to hundreds of others',
    `${'\u{1F468}\u200D'.repeat(100)} tide`,
    `${'\u{1F468}\u200D'.repeat(8)}… tide`,
  ],
  [
    'one syllable of hundreds of consonants',
    `${'\u0915\u094D'.repeat(100)} tide`,
    `${'\u0915\u094D'.repeat(8)}… tide`,
  ],
])('no character is too long for a line to be broken beside it: %s', (_, text, expected) => {
  expect(shown(h(UntrustedText, { text }))).toBe(`<bdi dir="auto">${expected}</bdi>`);
});

test.each([
  ['English', 'tide pools, “quoted” é'],
  ['Vietnamese, decomposed', 'Nguyễn Thị Thùy, đường phượng'.normalize('NFD')],
  ['Devanagari with conjuncts', 'नमस्ते क्ष्म, कार्त्स्न्य, श्रृङ्गार'],
  ['Thai with stacked signs', 'ไทยกำลัง น้ำ ที่ ปู่'],
  ['Tibetan stacks', 'བསྒྲུབས་ ཧཱུྃ'],
  ['Hebrew with points and cantillation', 'בְּרֵאשִׁ֖ית'],
  ['Arabic with vowel signs', 'مُحَمَّدٌ'],
  ['Hangul in separate letters', '한국어'.normalize('NFD')],
  ['polytonic Greek, decomposed', 'ᾧ ᾄσμα'.normalize('NFD')],
  ['Zalgo of moderate length', 'Zalgo'.replaceAll(/./g, `$&${MARKS.repeat(5)}`)],
  ['struck-through letters', 'Z\u0336a\u0336l\u0336'],
  ['a couple with skin tones', '\u{1F468}\u{1F3FB}\u200D\u2764\uFE0F\u200D\u{1F48B}\u200D\u{1F468}\u{1F3FF}'],
  [
    'a family with skin tones',
    ['\u{1F468}', '\u{1F469}', '\u{1F467}', '\u{1F466}'].map((one) => `${one}\u{1F3FD}`).join('\u200D'),
  ],
  ['the flag of Scotland', '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
])('ordinary text is shown in full: %s', (_, text) => {
  expect(shown(h(UntrustedText, { text }))).toBe(`<bdi dir="auto">${text}</bdi>`);
});

test('a form keeps input, shows problems at fields, and includes its token', () => {
  const html = shown(
    h(Form, {
      action: '/new',
      values: { cron: '99 * * *' },
      problems: [{ path: 'cron', given: '99 * * *', expected: 'a minute from 0 to 59' }],
      children: h(Field, { name: 'cron', label: 'When', help: 'five fields' }),
    }),
  );
  expect(html).toContain('value="99 * * *"');
  expect(html).toContain('name="form_token" value="token-of-the-form"');
  expect(html).toMatch(/aria-describedby="field-cron-help field-cron-wrong" aria-invalid/);
  expect(html).toContain('got &quot;99 * * *&quot;; expected a minute from 0 to 59');
  expect(html).toContain('href="#field-cron"');
});

test.each([
  'javascript:alert(1)',
  'jav\tascript:alert(1)',
  'data:text/html,x',
  'https://me:secret@x.example/',
])('a post with the address %s has no link, and its text is escaped', (url) => {
  const html = shown(
    h(PostCard, {
      post: {
        id: 1n,
        author_id: null,
        author_username: '<b>x',
        text: '<script>alert(1)</script>',
        url,
        created_at: null,
      },
    }),
  );
  expect(html).not.toMatch(/<script|<b>|href="(?:jav|data|https)/);
  expect(html).toContain('&lt;script>');
});

test('reactions are drawn as the last known number at equal steps, and read aloud', () => {
  const at = (after: number) => new Date(NOW.getTime() + after * HOUR);
  const points = [
    { post_id: 1n, at: at(0), reactions: 2 },
    { post_id: 1n, at: at(1), reactions: 5 },
    { post_id: 1n, at: at(4), reactions: 9 },
  ];
  expect(stepValues(points, 5)).toEqual([2, 5, 5, 5, 9]);
  expect(shown(h(ReactionLine, { points }))).toContain(
    'aria-label="Reactions: 2 when first observed, 9 after 4 h"',
  );
  expect(shown(h(ReactionLine, { points: points.slice(0, 1) }))).toBe('');
});

test('each run is a link with its status and reason', () => {
  const run = (more: Partial<RunCell>): RunCell => ({
    id: 7n,
    search_id: 1n,
    search: 'ferry',
    status: 'succeeded',
    code: null,
    reason: null,
    trigger: 'schedule',
    slot_at: NOW,
    created_at: NOW,
    items_new: 3,
    span_slots: null,
    tools_asked: 1,
    tools_silent: 0,
    ...more,
  });
  const html = shown(
    h(RunStrip, {
      label: 'Runs',
      runs: [
        run({}),
        run({ id: 8n, status: 'failed', code: 'bad_json' }),
        run({ id: 9n, status: 'skipped', reason: 'overlap' }),
      ],
    }),
  );
  expect(html).toContain('21 Nov, 13:00: succeeded, 3 new');
  expect(html).toContain('failed, the response is not valid JSON');
  expect(html).toContain('skipped, overlap');
  expect(html).toMatch(/href="\/runs\/8"/);
});

test('a run that no worker started is shown as due', () => {
  expect(shown(h(DueTime, { at: new Date(NOW.getTime() - HOUR) }))).toMatch(/due <time/);
  expect(shown(h(DueTime, { at: new Date(NOW.getTime() + HOUR) }))).not.toContain('due');
  expect(shown(h(DueTime, { at: null }))).toContain('none');
});

test.each([[undefined], ['Mars/Olympus'], ['x'.repeat(100)], ['"><script>']])(
  'an invalid zone becomes UTC: %s',
  (given) => expect(resolveZone(given)).toBe('UTC'),
);

test('sought words are highlighted as text, never as markup, and nothing beside them changes', () => {
  const isMatch = (word: string) => word.startsWith('ferr') || word === 'b';
  const text = 'Two ferries <b>late</b>\nat the ferryman’s';
  const marked = h(Matches.Provider, { value: isMatch, children: h(UntrustedText, { text }) });
  expect(shown(marked)).toBe(
    '<bdi dir="auto">Two <mark>ferries</mark> &lt;<mark>b</mark>>late&lt;/<mark>b</mark>>\nat the <mark>ferryman</mark>’s</bdi>',
  );
});
