/** Names in answers by the API: what is listed, what is refused, and what answers have. */
import { afterAll, expect, test } from 'vitest';
import { seededApi } from './world.ts';

const api = await seededApi();
const { app, headers, world } = api;
afterAll(() => api.close());

type Reply = { status: number; body: ReturnType<typeof JSON.parse> };
async function send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Reply> {
  const reply = await app.inject({
    method,
    url: `/api/v1/topics/harbour-ferry/${path}`,
    headers,
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: reply.statusCode, body: reply.json() };
}

test('a name is added, replaced by the same words in another spelling, and removed', async () => {
  const name = 'Île d’Or / Fähren';
  const added = await send('POST', 'names', { name, side: 'rival', domains: ['https://www.ile.example/x'] });
  expect(added).toMatchObject({
    status: 200,
    body: { name, side: 'rival', aliases: [], domains: ['ile.example'] },
  });
  const other = "ILE D'OR FAHREN";
  expect(await send('POST', 'names', { name: other, aliases: ['Or', 'OR', name] })).toMatchObject({
    status: 200,
    body: { id: added.body.id, name: other, side: 'own', aliases: ['Or'], domains: [] },
  });
  expect((await send('GET', 'names')).body.names).toMatchObject([{ name: 'Harbour Line' }, { name: other }]);
  const at = `names/${encodeURIComponent(name)}`;
  expect((await send('DELETE', at)).status).toBe(200);
  expect(await send('DELETE', at)).toMatchObject({ status: 404 });
});

test('all problems of a name are reported at once, each at its member', async () => {
  const { status, body } = await send('POST', 'names', {
    name: '+',
    aliases: ['fine', '?'],
    domains: ['a b'],
  });
  expect(status).toBe(400);
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
    'body.name',
    'body.aliases.1',
    'body.domains.0',
  ]);
});

test('a name has its share of the answers of each service, with both counts', async () => {
  await world.derive();
  const { status, body } = await send('GET', 'names-in-answers?days=7');
  expect(status).toBe(200);
  expect(body).toMatchObject({ reading: false, as_of: null });
  const [item] = body.items;
  expect(item).toMatchObject({ service: 'former-sandbox-1', name: 'Harbour Line', side: 'own' });
  expect(item.answers).toBeGreaterThan(2);
  expect(item.present).toBeGreaterThan(0);
  expect(item.share).toBe(item.present / item.answers);
  const sum = (member: string) =>
    item.buckets.reduce((all: number, bucket: Record<string, number>) => all + (bucket[member] ?? 0), 0);
  expect([sum('answers'), sum('present')]).toEqual([item.answers, item.present]);
  expect((await send('GET', 'names-in-answers?search=nope')).status).toBe(404);
});
