/** The page of the service in a browser: it asks with a key, ticks sources off, and shows nothing of a source unescaped. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SourceDown } from '../../src/service/sources/outage.ts';
import { type Client, KEY, startForTest } from './running.ts';
import { foundItem, foundPost, stubSource } from './stub-source.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>';

let service: Client;
beforeAll(async () => {
  service = await startForTest({
    sources: [
      stubSource('web', async ({ sent }) => {
        sent?.('"tidal power" barrage');
        return [
          foundItem('https://energy.example/tidal(1)', {
            title: 'Tidal power',
            snippet: 'Tidal power is little used because barrages are expensive to build. It works.',
          }),
          foundItem('https://evil.example/1', { title: HOSTILE, snippet: `Tidal power ${HOSTILE} is used.` }),
          foundItem('javascript:alert(1)', { title: 'Tidal power script' }),
        ];
      }),
      stubSource('news_forum', async () => [], 'empty-news'),
      stubSource('preprint', () => Promise.reject(new SourceDown('source_timeout')), 'slow-preprints'),
      stubSource('microblog', async () => [foundPost('1', 5, { text: `Tidal power ${HOSTILE} tonight` })]),
    ],
  });
});
afterAll(() => service.close());

async function ask(
  fields: Record<string, string | string[]>,
  headers: Record<string, string> = {},
): Promise<{ response: Response; html: string }> {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, value);
  const response = await fetch(`${service.url}/`, {
    method: 'POST',
    body: form,
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
    redirect: 'manual',
  });
  return { response, html: await response.text() };
}

const TOOLS = ['Web Search', 'News Forum Search', 'Preprint Search', 'Microblog Search'];
const QUESTION = {
  prompt: 'why is tidal power little used',
  tools: TOOLS,
  model: 'NOVA',
  date_filter: 'PAST_YEAR',
};

test('the root is a form for browsers, and JSON for everybody else', async () => {
  const page = await fetch(`${service.url}/`, { headers: HTML });
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'self'.*script-src 'self'/);
  expect(page.headers.get('vary')).toBe('accept, cookie');
  const html = await page.text();
  expect(html).toContain('name="prompt"');
  expect(html).not.toMatch(/<script|<style|style="|\bon\w+="/);
  const sheet = /href="(\/assets\/style\.[^"]+)"/.exec(html)?.[1] ?? '';
  expect((await fetch(`${service.url}${sheet}`)).headers.get('content-type')).toContain('text/css');
  expect((await fetch(`${service.url}/assets/nothing.css`)).status).toBe(404);
  for (const accept of ['*/*', 'application/json']) {
    const body: unknown = await (await fetch(`${service.url}/`, { headers: { accept } })).json();
    expect(body).toMatchObject({
      name: 'strandline search service',
      health: ['/healthz', '/healthz/sources'],
    });
  }
});

test('without a valid key nothing is asked, and the key is typed into the form', async () => {
  for (const fields of [{}, { key: 'wrong' }]) {
    const { response, html } = await ask({ ...QUESTION, ...fields });
    expect(response.status).toBe(401);
    expect(html).toMatch(/A key is needed|This key is not valid/);
    expect(html).toContain('name="key" type="password"');
    expect(html).toContain('value="why is tidal power little used"');
    expect(html).not.toContain('wrong');
    expect(response.headers.get('set-cookie')).toBeNull();
  }
});

describe('with a key', () => {
  test('shows the answer with its sources, what was asked, and what failed', async () => {
    const { response, html } = await ask({ ...QUESTION, key: KEY });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(html).toContain('Asking 4 sources');
    expect(html).toMatch(/is-answered.*?web-of-the-test/s);
    expect(html).toMatch(/is-empty.*?empty-news/s);
    expect(html).toMatch(/is-failed.*?slow-preprints.*?timed out/s);
    expect(html).toContain('barrages are expensive to build');
    expect(html).toMatch(/<a href="#source-\d+">\d+<\/a>/);
    expect(html).toContain('href="https://energy.example/tidal(1)"');
    expect(html).toContain('&quot;tidal power&quot; barrage');
    expect(html).toContain('3 of 4 sources responded');
    expect(html.endsWith('</html>')).toBe(true);
  });

  test('nothing that a source returned is markup, a script or a link to one', async () => {
    const { html } = await ask({ ...QUESTION, key: KEY });
    expect(html).toContain('&lt;script');
    expect(html).not.toMatch(/<script|<img/);
    expect(html).not.toMatch(/href="javascript:/i);
  });

  test('the key stays in a cookie that no script reads, and not in the page', async () => {
    const { response, html } = await ask({ ...QUESTION, key: KEY });
    const set = response.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/HttpOnly; SameSite=Strict/);
    expect(decodeURIComponent(set) + html).not.toContain(KEY);
    const [cookie = ''] = set.split(';');
    const again = await ask(QUESTION, { cookie });
    expect(again.response.status).toBe(200);
    expect(again.html).not.toContain('name="key"');
    expect(again.html).toContain('Forget my key');

    const foreign = await ask(QUESTION, { cookie, 'sec-fetch-site': 'same-site' });
    expect(foreign.response.status).toBe(403);
    const old = { cookie, origin: 'http://localhost:1', 'sec-fetch-site': '' };
    expect((await ask(QUESTION, old)).response.status).toBe(403);
    const tampered = cookie.slice(0, -3) + 'AAA';
    expect((await ask(QUESTION, { cookie: tampered })).response.status).toBe(401);

    const forgotten = await ask({ forget: 'yes' }, { cookie });
    expect(forgotten.response.status).toBe(303);
    expect(forgotten.response.headers.get('set-cookie')).toContain('Max-Age=0');
    service.clock.advance(13 * 3_600_000);
    expect((await ask(QUESTION, { cookie })).response.status).toBe(401);
  });

  test('a wrong form says what is wrong with it', async () => {
    for (const [fields, words] of [
      [{ prompt: ' ' }, 'Question: '],
      [{ prompt: 'x'.repeat(2_001) }, 'Question: '],
      [{ tools: 'Everything' }, 'Sources: '],
      [{ model: 'BEST' }, 'Time limit: '],
      [{ date_filter: 'EVER' }, 'Published in: '],
    ] as const) {
      const { response, html } = await ask({ ...QUESTION, key: KEY, ...fields });
      expect(response.status, words).toBe(422);
      expect(html).toContain(words);
    }
  });

  test('no source has an answer: the page says so', async () => {
    const { html } = await ask({ ...QUESTION, key: KEY, tools: 'News Forum Search' });
    expect(html).toContain('No answer in these sources.');
  });
});

test('an answer contains its plan for whoever asks for it, and for nobody else', async () => {
  const body = { prompt: 'tidal power', tools: TOOLS, model: 'NOVA', date_filter: 'PAST_YEAR' };
  const plain = await (await service.post('/search/ai/search', body)).json();
  expect(plain).not.toHaveProperty('plan');
  const answer: unknown = await (await service.post('/search/ai/search', body, { 'x-plan': 'true' })).json();
  expect(answer).toMatchObject({
    plan: {
      sources: [
        {
          source: 'web-of-the-test',
          tool: 'Web Search',
          queries: ['"tidal power" barrage'],
          state: 'answered',
        },
        { source: 'empty-news', state: 'answered', results: 0, queries: [] },
        { source: 'slow-preprints', state: 'failed', code: 'source_timeout' },
        { source: 'microblog-of-the-test', state: 'answered', results: 1 },
      ],
    },
  });
});
