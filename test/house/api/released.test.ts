/**
 * The API breaks no client of the last release, except where that is meant. `npm run api:release` writes the document of
 * a release, reduced to what is compared, once its version is set.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { VERSION } from '../../../src/config/version.ts';
import { homeOf } from '../../cli/stand.ts';
import { makeWorld } from '../../world.ts';
import { breakingChanges, reduced } from './changes.ts';

type Document = Parameters<typeof breakingChanges>[0];

const SANDBOX = 'Simulated data is below /sandbox, in a database of its own: nothing here can be simulated.';

/** Breaking changes since the last release that are meant, each with its reason; empty again after the next one. */
const MEANT: Readonly<Record<string, string>> = {
  'replies: members may come that are not named':
    'A client that refuses members it does not know would break at each addition: docs/reference/api.md says that they come.',
  'POST /api/v1/searches/preview: status 409 removed':
    'It was documented and never sent: a preview changes nothing.',
  'GET /api/v1/rules/{rule}/try: parameter query.days: default changed':
    'Two weeks show each weekday twice; the same days are previewed before a rule is saved.',
  'GET /api/v1/find: 200.items[].sandbox: removed': SANDBOX,
  'GET /api/v1/find: parameter query.sandbox removed': SANDBOX,
};

const FOLDER = path.join(import.meta.dirname, 'released');

const world = await makeWorld();
const app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: [] });
afterAll(async () => {
  await app.close();
  await world.close();
});
const document = reduced(JSON.parse(JSON.stringify(app.swagger())) as Document); // an object, as any document

if (process.env['STRANDLINE_API_RELEASE'] === 'write')
  await writeFile(path.join(FOLDER, `openapi-${VERSION}.json`), written(document));

test('only intended changes break clients of the last release', async () => {
  const changes = breakingChanges(await lastReleased(), document);
  expect(changes.filter((change) => !(change in MEANT))).toEqual([]);
  // What is no longer there needs no reason.
  expect(Object.keys(MEANT).filter((change) => !changes.includes(change))).toEqual([]);
});

test('a breaking change is named', async () => {
  const { paths, ...rest } = await lastReleased();
  const more = { ...Object(paths), '/api/v1/gone': { get: { operationId: 'getGone', responses: {} } } };
  expect(breakingChanges({ ...rest, paths: more }, document)).toContain(
    'GET /api/v1/gone: operation removed',
  );
});

async function lastReleased(): Promise<Document> {
  const [last = ''] = (await readdir(FOLDER)).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return JSON.parse(await readFile(path.join(FOLDER, last), 'utf8')) as Document; // as it was written
}

/** One path or schema a line, so that a difference can be read. */
function written(given: Document): string {
  return `${JSON.stringify(given).replaceAll(/,(?="(?:\/api\/[^"]*|[A-Z]\w+)":\{)/g, ',\n')}\n`;
}
