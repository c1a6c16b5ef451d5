import { describe, expect, it } from 'vitest';
import { parseSince } from '../../src/cli/option-values.ts';
import { detectTerminalPage } from '../../src/cli/terminal-io.ts';
import { nameProgram } from '../../src/cli/program-name.ts';
import { renderRunReport } from '../../src/cli/run-rendering.ts';
import { renderList, renderTable } from '../../src/cli/terminal-table.ts';
import { truncate, oneLine, splitParagraphs, measureWidth, wrapText } from '../../src/cli/terminal-text.ts';
import { toJson } from '../../src/lib/json-values.ts';
import type { RunReport } from '../../src/monitor/runs/run-end.ts';
import type { Highlight } from '../../src/store/queries/highlights.ts';
import { watchProcessor } from '../processor.ts';

const page = (width: number) => detectTerminalPage({ env: { COLUMNS: String(width) }, isTTY: false });
const at = new Date('2026-11-21T14:05:09Z');
/** As in a checkout. */
const wrapHint = (text: string) => [
  nameProgram(text, { program: 'npm run -s strandline --', kind: 'real' }, ['new']),
];

describe('untrusted text', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007', 'click'],
    ['\u009b2Jgone', 'gone'],
    ['a\r\nb\tc\u2028d', 'a b c d'],
    ['user\u202egnp.exe', 'usergnp.exe'],
    ['nul\u0000bell\u0007', 'nulbell'],
    ['half \ud83d', 'half \ufffd'],
    ['\u001b]never ends', 'never ends'],
    ['next\u0085line \u0085 end\u0084', 'next line end'],
    ['zero\u200bwidth\ufeff', 'zerowidth'],
  ])('%j is printed as %j', (given, shown) => {
    expect(oneLine(given)).toBe(shown);
  });

  it('limits a thousand combining marks on a letter, and handles a hundred thousand escapes instantly', () => {
    expect(oneLine(`a${'\u0301'.repeat(1_000)}b`).length).toBeLessThan(10);
    const computed = watchProcessor();
    oneLine('\u001b]'.repeat(100_000));
    truncate('\u0301'.repeat(100_000), 40);
    expect(computed()).toBeLessThan(500);
  });

  it('is truncated between characters, by their width on a terminal', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(truncate(`${family}${family}${family}`, 5)).toBe(`${family}${family}…`);
    expect(truncate('日本語です', 6)).toBe('日本…');
    expect(truncate('abc', 3)).toBe('abc');
    expect(truncate('abcd', 3)).toBe('ab…');
    expect(truncate('abcd', 1, '...')).toBe('.');
    expect(measureWidth('日本')).toBe(4);
  });

  it('keeps its paragraphs, wraps between words, and breaks a word that is too long', () => {
    expect(splitParagraphs('one\u0085two')).toEqual(['one', 'two']);
    expect(splitParagraphs('one\r\n\r\n\r\ntwo  three')).toEqual(['one', '', 'two three']);
    expect(wrapText('the quick brown fox', 9)).toEqual(['the quick', 'brown fox']);
    expect(wrapText('incomprehensibilities', 8)).toEqual(['incompre', 'hensibil', 'ities']);
    expect(wrapText('日本語です', 5)).toEqual(['日本', '語で', 'す']);
    expect(wrapText('日本 a', 1)).toEqual(['a']);
    expect(wrapText('a b', -2)).toEqual(['']);
  });

  it('is wrapped in linear time, even without spaces', () => {
    const computed = watchProcessor();
    expect(wrapText('日本語です'.repeat(10_000), 80)).toHaveLength(1_250);
    expect(wrapText('a\u0301'.repeat(50_000), 80)).toHaveLength(625);
    expect(computed()).toBeLessThan(5_000);
  });
});

describe('tables', () => {
  const rows = [{ name: 'a', text: 'a rather long text that must give way', n: 12 }];
  const columns = [
    { head: 'name', cell: (row: (typeof rows)[number]) => row.name },
    { head: 'n', cell: (row: (typeof rows)[number]) => String(row.n), right: true },
    { head: 'nothing', cell: () => '' },
    { head: 'text', cell: (row: (typeof rows)[number]) => row.text, elastic: 1 },
  ];

  it('truncate flexible columns, and leave out a column that is empty throughout', () => {
    expect(renderTable(rows, columns, page(30))).toEqual(['name   n  text', 'a     12  a rather long text…']);
  });

  it('print records vertically when there is no room', () => {
    expect(renderTable(rows, columns, page(14))).toEqual(['name  a', 'n     12', 'text  a rathe…']);
  });

  it('print a list of values without names only when there is no room for names', () => {
    expect(renderList([['database', 'PostgreSQL']], page(9))).toEqual(['PostgreSQ', 'L']);
  });
});

describe('JSON', () => {
  it('prints ids as strings, other exact whole numbers as numbers, and unknown as null', () => {
    const value = {
      id: 1n,
      post_ids: [2n],
      completion_links: [3n],
      n: 4n,
      big: 2n ** 60n,
      at,
      nan: Number.NaN,
      gone: undefined,
    };
    expect(JSON.parse(toJson(value))).toEqual({
      id: '1',
      post_ids: ['2'],
      completion_links: ['3'],
      n: 4,
      big: '1152921504606846976',
      at: '2026-11-21T14:05:09.000Z',
      nan: null,
    });
    const fromOutside: unknown = JSON.parse('{"__proto__":{"id":1}}');
    expect(toJson({ entities: fromOutside })).toBe('{"entities":{"__proto__":{"id":1}}}');
  });
});

describe('since', () => {
  it.each([
    ['today', '2026-11-21T00:00:00.000Z'],
    ['yesterday', '2026-11-20T00:00:00.000Z'],
    ['1h', '2026-11-21T13:05:09.000Z'],
    ['2w', '2026-11-07T14:05:09.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20 08:30', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T08:30:15.25+01:00', '2026-11-20T07:30:15.250Z'],
    ['2026-11-20T08:30-0130', '2026-11-20T10:00:00.000Z'],
  ])('%s is %s', (given, expected) => {
    expect(parseSince(given, at, { zone: 'UTC' }).toISOString()).toBe(expected);
  });

  it.each([
    ['Europe/Berlin', 'today', '2026-11-21T14:05:09Z', '2026-11-20T23:00:00.000Z'],
    ['Europe/Berlin', 'today', '2026-11-21T23:30:00Z', '2026-11-21T23:00:00.000Z'],
    ['America/New_York', 'today', '2026-11-21T03:00:00Z', '2026-11-20T05:00:00.000Z'],
    ['Asia/Kolkata', 'yesterday', '2026-11-21T14:05:09Z', '2026-11-19T18:30:00.000Z'],
    // Days on which the clock changes.
    ['Europe/Berlin', 'today', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', 'yesterday', '2026-10-26T12:00:00Z', '2026-10-24T22:00:00.000Z'],
  ])('in %s, %s at %s begins at %s', (zone, word, now, expected) => {
    expect(parseSince(word, new Date(now), { zone }).toISOString()).toBe(expected);
    expect(parseSince('2026-11-20', new Date(now), { zone })).toEqual(new Date('2026-11-20'));
  });
});

describe('the line of a run', () => {
  const run = {
    runId: 1n,
    search: 'harbour-posts',
    topic: 'harbour',
    trigger: 'schedule',
    service: 'own',
  } as const;
  const done = { ...run, status: 'succeeded', posts: 40, links: 0, authors: 31, rejected: 0 } as const;
  const diff = { baseline: false, newPosts: [], newLinks: [], completionChanged: false };
  const highlight: Highlight = {
    kind: 'post',
    author_username: 'ines_marlow',
    text: 'Ferry 7\nis back',
    url: null,
    like_count: 12,
    repost_count: 3,
  };
  const line = (report: RunReport, highlights: Highlight[] = [], width = 120) =>
    renderRunReport(report, { highlights, coverage: null }, at, { ...page(width), wrapHint });

  it('distinguishes a baseline from new posts', () => {
    expect(line({ ...done, diff: { ...diff, baseline: true } })).toEqual([
      '14:05:09Z  harbour-posts             baseline: 40 posts, 31 authors',
    ]);
    expect(line({ ...done, diff })).toEqual([
      '14:05:09Z  harbour-posts             no new posts (40 returned)',
    ]);
    expect(line({ ...done, diff: { ...diff, newPosts: [1n, 2n] } }, [highlight])).toEqual([
      '14:05:09Z  harbour-posts             2 new posts (40 returned)',
      '           @ines_marlow  "Ferry 7 is back"   12 likes · 3 reposts',
      '           … and 1 more: npm run -s strandline -- new --search harbour-posts',
    ]);
  });

  it('names a simulated run as such, and the command that lists its results', () => {
    const simulated = { ...done, service: 'sandbox', diff: { ...diff, newPosts: [1n, 2n] } } as const;
    expect(line(simulated, [highlight])).toEqual([
      '14:05:09Z  sandbox/harbour-posts     2 new posts (40 returned)',
      '           @ines_marlow  "Ferry 7 is back"   12 likes · 3 reposts',
      '           … and 1 more: npm run -s strandline -- --sandbox new --search harbour-posts',
    ]);
  });

  it('shows links and a changed completion of an AI search', () => {
    const report: RunReport = {
      ...done,
      posts: 0,
      links: 12,
      diff: { ...diff, newLinks: [1n, 2n, 3n, 4n], completionChanged: true },
    };
    expect(line(report)).toEqual([
      '14:05:09Z  harbour-posts             4 new links (12 returned), completion changed',
    ]);
  });

  it('says below it which tools did not respond', () => {
    const coverage = '6 of 7 tools responded: Web Search needs a key (BRAVE_API_KEY)';
    const lines = renderRunReport(
      { ...done, diff: { ...diff, newPosts: [1n, 2n] } },
      { highlights: [highlight], coverage },
      at,
      {
        ...page(60),
        wrapHint,
      },
    );
    expect(lines.slice(1)).toEqual([
      '           6 of 7 tools responded: Web Search needs a key',
      '           (BRAVE_API_KEY)',
      expect.stringContaining('@ines_marlow'),
      expect.stringContaining('more'),
    ]);
  });

  it('describes failures and retries', () => {
    expect(line({ ...run, status: 'failed', code: 'auth', detail: undefined })).toEqual([
      '14:05:09Z  harbour-posts             failed: auth — the service rejected the API key',
    ]);
    const notBefore = new Date('2026-11-21T14:05:21Z');
    expect(
      line({
        ...run,
        status: 'retry',
        code: 'rate_limited',
        detail: 'wait\u001b[2J',
        notBefore,
        isWaiting: false,
      }),
    ).toEqual([
      '14:05:09Z  harbour-posts             retries in 12 s: rate_limited — the service asked to slow down (wait)',
    ]);
    const detail = 'all 20 calls of this minute (CALLS_PER_MINUTE) are used up';
    expect(
      line({ ...run, status: 'retry', code: 'budget_exceeded', detail, notBefore, isWaiting: true }),
    ).toEqual([`14:05:09Z  harbour-posts             runs in 12 s: ${detail}`]);
  });

  it.each([1, 20, 40, 60])('fits into %i columns', (width) => {
    for (const shown of line({ ...done, diff: { ...diff, newPosts: [1n] } }, [highlight], width))
      expect(measureWidth(shown)).toBeLessThanOrEqual(width);
  });
});
