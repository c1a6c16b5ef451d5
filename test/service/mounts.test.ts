/** Which service responds where: the root, the simulation and the live sources; and the warnings in a response. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { servedAiResponse, servedMicroblogResponse } from '../../src/protocol/extensions.ts';
import { ModelFailed } from '../../src/service/answering/language-model.ts';
import { SourceDown } from '../../src/service/sources/outage.ts';
import { type Client, KEY, startForTest } from './running.ts';
import { foundItem, foundPost, stubSource } from './stub-source.ts';

const A = '/search/ai/search';
const B = '/search/ai/search/links/microblog';
const B_NAMED = '/desearch/ai/search/links/twitter';
const LIVE = 'https://live.example/page';

const live = [
  stubSource('web', async () => [foundItem(LIVE)]),
  stubSource('preprint', () => Promise.reject(new SourceDown('source_busy')), 'papers'),
  stubSource('microblog', async () => [foundPost('77', 1, { view_count: null, lang: null })]),
  stubSource('microblog', () => Promise.reject(new SourceDown('source_needs_key')), 'other-blog'),
];

let service: Client;
beforeAll(async () => {
  service = await startForTest({ live });
});
afterAll(() => service.close());

const web = { prompt: 'tidal power', tools: ['Web Search'], date_filter: 'PAST_WEEK' };

describe('live sources', () => {
  test('respond below /live only, and are not marked as simulated', async () => {
    const response = await service.post(`/live${A}`, web);
    expect(response.headers.get('x-sandbox')).toBeNull();
    expect(servedAiResponse.parse(await response.json()).search_completion_links).toEqual([LIVE]);
    for (const below of ['', '/sandbox']) {
      const invented = await service.post(`${below}${A}`, web);
      expect(invented.headers.get('x-sandbox')).toBe('true');
      expect(await invented.text()).not.toContain(LIVE);
    }
  });

  test('never fall back to the simulation: a tool without a source finds nothing and says so', async () => {
    const response = await service.post(`/live${A}`, { ...web, tools: ['Video Search', 'Web Search'] });
    const answer = servedAiResponse.parse(await response.json());
    expect(answer.video_search_results).toEqual({ organic_results: [] });
    expect(answer.warnings).toMatchObject([
      { code: 'source_off', tool: 'Video Search' },
      { code: 'tool_unanswered' },
    ]);
  });

  test('have no path if none are configured', async () => {
    const without = await startForTest();
    expect((await without.post(`/live${A}`, web)).status).toBe(404);
    await without.close();
  });

  test('ignore injected faults', async () => {
    const response = await service.post(`/live${A}`, web, { 'x-sandbox-fault': '500' });
    expect(response.status).toBe(200);
  });
});

test('a language model, which may charge, writes about live results and never about simulated ones', async () => {
  let asked = 0;
  const written = await startForTest({
    live,
    model: {
      name: 'stand-in',
      ask: () => {
        asked += 1;
        return Promise.reject(new ModelFailed('empty'));
      },
    },
  });
  for (const below of ['', '/sandbox']) expect((await written.post(`${below}${A}`, web)).status).toBe(200);
  expect(asked).toBe(0);
  expect((await written.post(`/live${A}`, web)).status).toBe(200);
  expect(asked).not.toBe(0);
  await written.close();
});

describe('next to the results', () => {
  test('a warning says which tool returned less and why, in the names of the dialect', async () => {
    const tools = { neutral: 'Preprint Search', named: 'ArXiv Search' };
    for (const [prefix, tool] of [
      ['search', tools.neutral],
      ['desearch', tools.named],
    ]) {
      const response = await service.post(`/live/${prefix}/ai/search`, { ...web, tools: [tool] });
      const { warnings, completion_writer } = (await response.json()) as Record<string, unknown>;
      const message = 'papers reached its rate limit';
      expect(warnings).toEqual([
        { code: 'source_busy', tool, message },
        { code: 'tool_unanswered', tool, message: 'no source of this tool responded' },
      ]);
      expect(completion_writer).toBe('none');
    }
  });

  test('a response of operation B has warnings too, and lists unknown counters', async () => {
    const body: unknown = await (await service.post(`/live${B}`, { prompt: 'tide' })).json();
    const { miner_microblog_posts: posts, warnings } = servedMicroblogResponse.strict().parse(body);
    expect(posts).toMatchObject([{ id: '77', view_count: 0, lang: 'und', unknown_counters: ['view_count'] }]);
    expect(warnings).toMatchObject([{ code: 'source_needs_key', tool: 'Microblog Search' }]);
    const named: unknown = await (await service.post(`/live${B_NAMED}`, { prompt: 'tide' })).json();
    expect(named).toMatchObject({ warnings: [{ tool: 'Twitter Search' }], miner_tweets: [{ id: '77' }] });
  });

  test('nothing is added without a reason', async () => {
    const a: unknown = await (await service.post(A, web)).json();
    expect(a).not.toHaveProperty('warnings');
    const b = await (await service.post(B, { prompt: 'tidal power' })).text();
    expect(b).not.toMatch(/"warnings"|"unknown_counters"/);
  });

  test('web pages have a group if enabled, in the response and in its stream', async () => {
    const open = await startForTest({ live, webGroup: true });
    const answer = servedAiResponse.parse(await (await open.post(`/live${A}`, web)).json());
    expect(answer.web_search_results?.organic_results).toMatchObject([{ link: LIVE }]);
    const stream = await (await open.post(`/live${A}`, { ...web, streaming: true })).text();
    expect(stream).toContain('data: {"type":"web","content":[{');
    await open.close();
    const usual = await (await service.post(`/live${A}`, { ...web, streaming: true })).text();
    expect(usual).not.toContain('"type":"web"');
    expect(usual).not.toMatch(/web_search_results|published_date/);
  });

  test('an undated result that its source vouches for is marked, and a tool emptied by dates is a warning', async () => {
    const old = foundItem('https://live.example/old', { publishedAt: new Date(0) });
    const vouched = foundItem(LIVE, { publishedAt: undefined, periodVouched: true });
    const sources = [
      stubSource('web', async () => [old, vouched]),
      stubSource('video', async () => [{ ...old, source: 'video' }]),
    ];
    const open = await startForTest({ live: sources, webGroup: true });
    const body = { ...web, tools: ['Web Search', 'Video Search'] };
    const answer = servedAiResponse.parse(await (await open.post(`/live${A}`, body)).json());
    await open.close();
    expect(answer.web_search_results?.organic_results).toMatchObject([{ link: LIVE, period_vouched: true }]);
    expect(answer.warnings).toMatchObject([{ code: 'outside_period', tool: 'Video Search' }]);
    const board = stubSource('discussion_board', async () => [{ ...vouched, source: 'discussion_board' }]);
    const plain = await startForTest({ live: [board] });
    const usual = await (
      await plain.post(`/live${A}`, { ...web, tools: ['Discussion Board Search'] })
    ).text();
    await plain.close();
    expect(usual).toContain(LIVE);
    expect(usual).not.toContain('period_vouched');
  });
});

test('an address is returned as its source gave it, and escaped where a text cites it', async () => {
  const film = 'https://wiki.example/Tide_(film)';
  const source = stubSource('encyclopedia', async () => [
    foundItem(film, { source: 'encyclopedia', snippet: 'Tidal power is a film.' }),
  ]);
  const wiki = await startForTest({ sources: [source] });
  const body = await (await wiki.post(A, { ...web, tools: ['Encyclopedia Search'] })).text();
  const answer = servedAiResponse.parse(JSON.parse(body));
  expect(answer.encyclopedia_search_results?.organic_results).toMatchObject([{ link: film }]);
  expect(answer.search_completion_links).toEqual([film]);
  expect(answer.completion_links).toEqual([film]);
  expect(answer.completion.key_sources).toMatchObject([{ url: film }]);
  expect(answer.completion.summary).toContain('[1](https://wiki.example/Tide_%28film%29)');
  const read = parseResponse({ operation: 'ai', body, contentType: null, dialect: loadDialect('neutral') });
  expect(read.links.map(({ address }) => address)).toEqual([film]);
  expect(read.completion?.claims.flatMap(({ citations }) => citations)).toMatchObject([
    { canonical: film, returned: true },
  ]);
  const flat = await wiki.post('/2026/desearch/ai/search', { prompt: web.prompt, tools: ['wikipedia'] });
  const flatRead = parseResponse({
    operation: 'ai',
    body: await flat.text(),
    contentType: null,
    dialect: loadDialect('named-2026'),
  });
  expect(flatRead.links.map(({ canonical }) => canonical)).toEqual([film]);
  expect(flatRead.completion?.completion_links.map(({ canonical }) => canonical)).toEqual([film]);
  await wiki.close();
});

test('the truth of the sandbox requires a key like the sandbox', async () => {
  const at = `${service.url}/sandbox/truth?topic=night%20trains`;
  expect((await fetch(at)).status).toBe(401);
  const told = await fetch(at, { headers: { authorization: KEY } });
  expect(told.status).toBe(200);
  expect(await told.json()).toHaveProperty('bursts');
});

test('the process that runs the service has no rate limit, others do', async () => {
  const rate = { perMinute: 60, burst: 1 };
  const busy = await startForTest({ rate, ownKey: KEY });
  const [one, two] = [await busy.post(B, { prompt: 'tide' }), await busy.post(B, { prompt: 'tide' })];
  expect([one.status, two.status]).toEqual([200, 200]);
  await busy.close();
  const shared = await startForTest({ rate, ownKey: 'another' });
  const [first, second] = [
    await shared.post(B, { prompt: 'tide' }),
    await shared.post(B, { prompt: 'tide' }),
  ];
  expect([first.status, second.status]).toEqual([200, 429]);
  await shared.close();
});
