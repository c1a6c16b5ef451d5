/** A cursor belongs to one list, one path, one set of filters and one order; every list refuses it elsewhere. */
import { afterAll, expect, test } from 'vitest';
import { addressOf, documentOf, exampleOf, type Operation, operationsOf } from './operations.ts';
import { seededApi } from './world.ts';

const api = await seededApi();
afterAll(() => api.close());
const lists = operationsOf(documentOf(api.app)).filter(({ parameters }) =>
  parameters.some(({ name }) => name === 'cursor'),
);

const OTHERS = 'for the same path, filters and order';

async function get(url: string) {
  const { statusCode, body } = await api.app.inject({ url, headers: api.headers });
  const {
    items = [],
    next_cursor = null,
    errors = [],
  } = JSON.parse(body) as {
    items?: unknown[];
    next_cursor?: string | null;
    errors?: { path: string; expected: string }[];
  }; // a list or a problem
  return { status: statusCode, items, cursor: next_cursor, errors };
}

function urlOf({ path, parameters }: Operation, query: Record<string, unknown>): string {
  const given = parameters.filter((one) => one.in === 'path').map((one) => [one.name, exampleOf(one)]);
  return addressOf(path, Object.fromEntries(given) as Record<string, unknown>, query);
}

/** Each filter of a list with a value of its own. */
function filtersOf({ parameters }: Operation): [string, unknown][] {
  return parameters.flatMap((one): [string, unknown][] => {
    if (one.in !== 'query' || ['limit', 'cursor'].includes(one.name)) return [];
    const { enum: values, default: usual } = one.schema ?? {};
    const other = Array.isArray(values) ? values.find((value) => value !== usual) : undefined;
    return [[one.name, other ?? exampleOf(one) ?? 'harbour']];
  });
}

test('lists exist, and some have a second page', async () => {
  const pages = await Promise.all(lists.map((list) => get(urlOf(list, { limit: 1 }))));
  expect(lists.length).toBeGreaterThan(12);
  expect(pages.filter(({ cursor }) => cursor !== null).length).toBeGreaterThan(7);
});

test.each(lists)(
  '$operationId continues with its cursor, and refuses it with another filter',
  async (list) => {
    const { cursor, items } = await get(urlOf(list, { limit: 1 }));
    if (cursor === null) return;
    const next = await get(urlOf(list, { limit: 2, cursor }));
    expect(next.status).toBe(200);
    expect(next.items).not.toContainEqual(items[0]);
    for (const [name, value] of filtersOf(list))
      expect(await get(urlOf(list, { cursor, [name]: value })), name).toMatchObject({
        status: 400,
        errors: [{ path: 'query.cursor', expected: expect.stringContaining(OTHERS) as unknown }],
      });
  },
);

test('an explicit default is the same filter', async () => {
  const { cursor } = await get('/api/v1/posts?limit=1');
  expect((await get(`/api/v1/posts?sort=newest&cursor=${cursor}`)).status).toBe(200);
});

test('refuses a cursor of another search, and one from before cursors had filters', async () => {
  const { cursor } = await get('/api/v1/searches/harbour-ferry-ai/claims?limit=1');
  expect(cursor).not.toBeNull();
  const other = await get(`/api/v1/searches/harbour-ferry-posts/claims?cursor=${cursor}`);
  expect(other).toMatchObject({
    status: 400,
    errors: [{ expected: expect.stringContaining(OTHERS) as unknown }],
  });
  const former = Buffer.from('["runs",["30"]]').toString('base64url');
  expect(await get(`/api/v1/runs?cursor=${former}`)).toMatchObject({
    status: 400,
    errors: [
      {
        path: 'query.cursor',
        expected: expect.stringContaining('omit cursor for the first page') as unknown,
      },
    ],
  });
});

test.each(['/api/v1/trends', '/api/v1/trends/volume'])(
  '%s of a search of another topic is refused',
  async (path) => {
    await api.app.inject({
      method: 'POST',
      url: '/api/v1/topics',
      headers: api.headers,
      payload: {
        name: 'Elsewhere',
        service: 'hosted',
        searches: [{ operation: 'microblog', prompt: 'elsewhere', every: '1h' }],
      },
    });
    expect(await get(`${path}?topic=elsewhere&search=harbour-paid`)).toMatchObject({
      status: 400,
      errors: [{ path: 'query.search' }],
    });
  },
);
