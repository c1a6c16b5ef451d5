import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listVariables } from '../../src/config/variable.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { SOURCE_VARIABLES } from '../../src/service/sources/source-registry.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { readerQuery } from '../../src/store/reader/reader-query.ts';
import { readPages } from './configuration.ts';
import { json, type StubService, startStub, wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

let stub: StubService;
let world: World;
beforeAll(async () => {
  stub = await startStub(json({ miner_tweets: [wirePost('1'), wirePost('2')] }));
  world = await makeWorld({ hosted: stub.url });
  const { firstRunId } = await createSearch(world.ctx, {
    slug: 'a',
    operation: 'microblog',
    prompt: 'a',
    every: '1h',
  });
  await executeRun(world.ctx, firstRunId);
});
afterAll(async () => {
  await world.close();
  await stub.close();
});

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const block = /```sql\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
const queries = block
  .split(';')
  .map((query) => query.trim())
  .filter((query) => query !== '');

test('the README shows queries', () => {
  expect(queries.length).toBeGreaterThan(1);
});

test.each(queries.map((query) => [query.split('\n')[0], query] as const))(
  '%s: the reader may run it, and it returns rows',
  async (_, sql) => {
    const { columns } = await readerQuery({ url: world.database.readerUrl, sql });
    expect(columns.length).toBeGreaterThan(1);
  },
);

test.each(await readPages())(
  '$name matches the program (npm run -s config:page writes it)',
  ({ page, rendered }) => {
    expect(page).toBe(rendered);
  },
);

test('every variable in the README is one that the program reads', () => {
  const named = [...readme.matchAll(/`([A-Z][A-Z_]{3,})`/g)].map((match) => match[1] ?? '');
  const known = new Set(
    [VARIABLES, SOURCE_VARIABLES].flatMap((table) => listVariables(table).map(([{ name }]) => name)),
  );
  expect(named.filter((name) => !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
});
