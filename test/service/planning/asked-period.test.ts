/** "This week" in a prompt is the period where the request leaves it open, and never widens what was asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DATE_FILTER_DAYS, type DateFilter } from '../../../src/model/enumerations.ts';
import { DAY } from '../../../src/lib/time.ts';
import { buildOperationPaths, loadDialect } from '../../../src/protocol/dialect.ts';
import { readAskedPeriod } from '../../../src/service/planning/asked-period.ts';
import type { SearchSource, SourceQuery } from '../../../src/service/sources/search-source.ts';
import { type Client, startForTest } from '../running.ts';

test.each<[string, DateFilter | null]>([
  ['What happened at the chess world championship today?', 'PAST_24_HOURS'],
  ['Is there a strike this week?', 'PAST_WEEK'],
  ['strikes this month', 'PAST_MONTH'],
  ['Who won the Booker Prize this year?', 'PAST_YEAR'],
  ['earthquake yesterday', 'PAST_2_DAYS'],
  ['what did the senate vote on last week', 'PAST_2_WEEKS'],
  ['Streik bei der Deutschen Bahn heute', 'PAST_24_HOURS'],
  ['Was passiert diese Woche in Berlin?', 'PAST_WEEK'],
  ['Que se passe-t-il aujourd’hui à Paris ?', 'PAST_24_HOURS'],
  ['Qui a gagné le match hier soir ?', 'PAST_2_DAYS'],
  ['Was ist hier los?', null],
  ['¿Qué pasó hoy en Madrid?', 'PAST_24_HOURS'],
  ['huelga de metro esta semana', 'PAST_WEEK'],
  ['sciopero dei treni oggi', 'PAST_24_HOURS'],
  ['o que aconteceu esta semana no Brasil', 'PAST_WEEK'],
  ['staking deze week', 'PAST_WEEK'],
  ['今日の地震', 'PAST_24_HOURS'],
  ['今年のノーベル賞', 'PAST_YEAR'],
  ['How do heat pumps work?', null],
  ['Toyota yearly report', null],
])('%s', (prompt, expected) => {
  expect(readAskedPeriod(prompt)).toBe(expected);
});

describe('a request', () => {
  const queries: SourceQuery[] = [];
  const source: SearchSource = {
    name: 'recorder',
    source: 'web',
    state: 'live',
    find: async (query) => {
      queries.push(query);
      return [];
    },
  };
  let service: Client;
  beforeAll(async () => {
    service = await startForTest({ live: [source] });
  });
  afterAll(() => service.close());

  test.each<[string, object, DateFilter]>([
    ['without a filter', {}, 'PAST_WEEK'],
    ['with null as filter', { date_filter: null }, 'PAST_WEEK'],
    ['with a shorter filter', { date_filter: 'PAST_24_HOURS' }, 'PAST_24_HOURS'],
    ['with a longer filter', { date_filter: 'PAST_YEAR' }, 'PAST_YEAR'],
  ])('%s', async (_, over, expected) => {
    queries.length = 0;
    const body = { prompt: 'strikes this week', tools: ['Web Search'], ...over };
    const response = await service.post(`/live${buildOperationPaths(loadDialect('neutral')).ai}`, body);
    expect(response.status).toBe(200);
    const [{ from, to } = { from: undefined, to: new Date(0) }] = queries;
    expect((to.getTime() - (from?.getTime() ?? 0)) / DAY).toBeCloseTo(DATE_FILTER_DAYS[expected]);
  });
});
