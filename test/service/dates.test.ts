import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DATE_FILTER_DAYS,
  type DateFilter,
  DATE_FILTERS,
  MODELS,
  SOURCES,
} from '../../src/model/enumerations.ts';
import { DAY } from '../../src/lib/time.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { retrieveFindings, computeDateWindow } from '../../src/service/planning/retrieval.ts';
import { createSandboxSources } from '../../src/service/sandbox/sandbox-sources.ts';
import { createDocuments } from '../../src/service/sandbox/simulated-documents.ts';
import type { FoundItem, SearchSource } from '../../src/service/sources/search-source.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const log = createLogger('silent');
const never = new AbortController().signal;
const prompts = fc.constantFrom('harbour festival', 'tidal power', 'lighthouse', 'something else');

function item(link: string, publishedAt: Date): FoundItem {
  return { source: 'web', title: link, link, snippet: '', summaryDescription: '', publishedAt };
}

function webOf(list: readonly FoundItem[]): SearchSource {
  return { name: 'web-of-the-test', source: 'web', state: 'live', find: () => Promise.resolve(list) };
}

describe('the date filter', () => {
  test.each(DATE_FILTERS)('%s excludes everything older or newer', async (dateFilter) => {
    const sources = createSandboxSources('dates');
    await fc.assert(
      fc.asyncProperty(prompts, fc.constantFrom(...MODELS), fc.nat(400), async (prompt, model, days) => {
        const at = new Date(NOON.getTime() - days * DAY);
        const asked = { prompt, selected: SOURCES, model, dateFilter, at };
        const { findings } = await retrieveFindings({ sources, log }, asked, never);
        const found = [...findings.values()].flat();
        for (const { publishedAt, source } of found) {
          if (source === 'encyclopedia') continue;
          const age = at.getTime() - (publishedAt?.getTime() ?? Number.NaN);
          expect(age).toBeGreaterThanOrEqual(0);
          expect(age).toBeLessThanOrEqual(DATE_FILTER_DAYS[dateFilter] * DAY);
        }
      }),
      { numRuns: 4 },
    );
  });

  test('loses nothing when widened', async () => {
    const documents = createDocuments('wide');
    for (const source of [
      'web',
      'news_forum',
      'discussion_board',
      'video',
      'preprint',
      'encyclopedia',
    ] as const) {
      let narrower: string[] = [];
      for (const filter of DATE_FILTERS) {
        const { from, to } = computeDateWindow(filter, NOON);
        const window = { from: from.getTime(), at: to.getTime() };
        const found = await documents.find(source, 'tidal power', window, Number.POSITIVE_INFINITY);
        const links = found.map(({ link }) => link);
        expect(new Set(links).size).toBe(links.length);
        expect(links).toEqual(expect.arrayContaining(narrower));
        narrower = links;
      }
      expect(narrower.length).toBeGreaterThan(5);
    }
  });

  test('applies to the dates of the items, whatever filter the source got', async () => {
    const careless: SearchSource = {
      name: 'web-of-the-test',
      source: 'web',
      state: 'live',
      find: () =>
        Promise.resolve([
          item('https://a.example/old', new Date(NOON.getTime() - 2 * DAY)),
          item('https://a.example/new', new Date(NOON.getTime() - 1)),
          item('https://a.example/new/?utm_source=x#top', new Date(NOON.getTime() - 1)),
          item('https://a.example/future', new Date(NOON.getTime() + 1)),
        ]),
    };
    const sources = [careless];
    const asked = {
      prompt: 'x',
      selected: ['web'],
      model: 'NOVA',
      dateFilter: 'PAST_24_HOURS',
      at: NOON,
    } as const;
    const { findings } = await retrieveFindings({ sources, log }, asked, never);
    expect(findings.get('web')?.map(({ link }) => link)).toEqual(['https://a.example/new']);
  });

  test.each<[DateFilter, string[]]>([
    ['PAST_WEEK', ['https://a.example/vouched']],
    ['PAST_2_MONTHS', ['https://a.example/undated', 'https://a.example/vouched']],
  ])('%s keeps undated results that their source vouches for', async (dateFilter, links) => {
    const old = item('https://a.example/old', new Date(NOON.getTime() - 700 * DAY));
    const undated = { ...old, link: 'https://a.example/undated', title: 'undated', publishedAt: undefined };
    const vouched = {
      ...undated,
      link: 'https://a.example/vouched',
      title: 'vouched',
      periodVouched: true,
    } as const;
    const asked = { prompt: 'x', selected: ['web'], model: 'NOVA', dateFilter, at: NOON } as const;
    const { findings, warnings } = await retrieveFindings(
      { sources: [webOf([old, undated, vouched])], log },
      asked,
      never,
    );
    expect(findings.get('web')?.map(({ link }) => link)).toEqual(links);
    expect(warnings).toEqual([]);
  });

  test.each<[string, FoundItem[], string | undefined]>([
    ['nothing', [], undefined],
    [
      'two old results',
      [1, 2].map((n) => item(`https://a.example/${n}`, new Date(NOON.getTime() - 9 * DAY))),
      'left out as outside the requested period: 2',
    ],
    [
      'an old and an undated one',
      [
        item('https://a.example/1', new Date(NOON.getTime() - 9 * DAY)),
        { ...item('https://a.example/2', NOON), publishedAt: undefined },
      ],
      'left out as outside the requested period: 2 (without a date: 1)',
    ],
    [
      'one of the period',
      [item('https://a.example/1', NOON), item('https://a.example/2', new Date(0))],
      undefined,
    ],
  ])('an empty tool says whether dates are the reason: %s', async (_, list, message) => {
    const asked = {
      prompt: 'x',
      selected: ['web'],
      model: 'ORBIT',
      dateFilter: 'PAST_WEEK',
      at: NOON,
    } as const;
    const { warnings } = await retrieveFindings({ sources: [webOf(list)], log }, asked, never);
    expect(warnings).toEqual(
      message === undefined ? [] : [{ code: 'outside_period', tool: 'Web Search', message }],
    );
  });

  test('a failed source loses only its own items', async () => {
    const broken: SearchSource = {
      name: 'web-of-the-test',
      source: 'web',
      state: 'live',
      find: () => Promise.reject(new Error('no such host')),
    };
    const sources = [broken, ...createSandboxSources().filter(({ source }) => source !== 'web')];
    const asked = {
      prompt: 'tidal power',
      selected: ['web', 'discussion_board'],
      model: 'NOVA',
      dateFilter: 'PAST_WEEK',
      at: NOON,
    } as const;
    const { findings } = await retrieveFindings({ sources, log }, asked, never);
    expect(findings.get('web')).toEqual([]);
    expect(findings.get('discussion_board')?.length).toBeGreaterThan(0);
  });
});
