/** The dashboard gives the file to download, without scripts. */
import { afterAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { WEB } from '../../src/app/web-server.ts';
import { readYaml } from '../../src/cli/yaml-file.ts';
import { createToken, OPERATOR } from '../../src/monitor/access/manage-tokens.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { planFile } from '../../src/monitor/watch-file/plan.ts';
import { homeOf } from '../cli/stand.ts';
import { makeWorld } from '../world.ts';

const world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
const app = await buildHttpServer(homeOf(world), WEB);
afterAll(async () => {
  await app.close();
  await world.close();
});

test('the overview leads to the file, which is what there is', async () => {
  await createSearch(world.ctx, {
    slug: 'ferry-posts',
    topic: 'ferry',
    prompt: '#1: "ferry" & more',
    every: '15m',
  });
  const [, path = ''] = /href="([^"]+)">Download as a file</.exec((await app.inject('/')).body) ?? [];
  const { statusCode, headers, body } = await app.inject(path);
  expect([statusCode, headers['content-type'], headers['content-disposition']]).toEqual([
    200,
    'application/yaml; charset=utf-8',
    'attachment; filename="watch.yaml"',
  ]);
  const { value, problems } = readYaml(body, () => '');
  expect(problems).toEqual([]);
  expect((await planFile(world.ctx, value, 'keep')).differs).toBe(false);
  // Where tokens exist, nobody gets it without one.
  await createToken(world.ctx, { name: 'of the test', scopes: ['admin'] }, OPERATOR);
  expect((await app.inject(path)).body).not.toContain('ferry-posts');
});
