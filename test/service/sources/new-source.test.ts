/** A new source is its file and its line: nothing else of the program changes. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../database.ts';
import { startExtended } from '../../extended.ts';
import { makeDirectory } from '../../temporary.ts';
import { json, startProvider } from './provider.ts';

const KEY = 'canary-of-the-pier';
let directory: string;
let database: TestDatabase;
let program: ReturnType<typeof startExtended>;

beforeAll(async () => {
  [directory, database] = await Promise.all([makeDirectory(), freshDatabase()]);
  program = startExtended({
    DATABASE_URL: database.url,
    STRANDLINE_DATA_DIR: path.join(directory, 'data'),
  });
});
afterAll(async () => {
  expect(await program.end()).not.toContain(KEY);
  await rm(directory, { recursive: true });
  await database.drop();
});

test('its variables are shown, masked, and named in hints', async () => {
  const { out } = await program.run(['config', 'show', '--json'], {
    PIER_API_KEY: KEY,
    SERVICE_SOURCES: 'pier',
  });
  expect(out).not.toContain(KEY);
  expect(JSON.parse(out)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'PIER_API_KEY', value: '(hidden)', from: 'environment' }),
      expect.objectContaining({ name: 'PIER_SERVER', value: 'https://pier.example/', from: 'default' }),
    ]),
  );
  const { err } = await program.run(['config', 'show'], { SERVICE_SOURCES: 'pier' });
  expect(err).toContain('got "pier"; PIER_API_KEY to be set as well');
});

test('the env file accepts them', async () => {
  const file = path.join(directory, 'pier.json');
  await writeFile(file, `{\n  "PIER_SERVER": "ftp://host",\n  "PIER_API_KEY": "${KEY}"\n}`);
  const { err } = await program.run(['config', 'show'], { STRANDLINE_CONFIG: file });
  expect(err).toMatch(/pier\.json:2: PIER_SERVER: got "ftp:\/\/host"; a URL such as/);
  expect(err).toMatch(/pier\.json:3: PIER_API_KEY: got "\(hidden\)"; no secret here/);
  expect(err).not.toContain(KEY);
});

test('a search of the service returns its results, with its key', async () => {
  const link = 'https://boats.example/evening';
  const provider = await startProvider(
    json({ finds: [{ title: 'Boats in the evening', link, published: new Date() }] }),
  );
  const env = {
    PIER_API_KEY: KEY,
    PIER_SERVER: provider.url,
    SERVICE_SOURCES: 'pier',
    SERVICE_PORT: '0',
    SERVICE_API_KEYS: 'key-of-the-service',
  };
  const url = await program.serve(['service'], /Search service: (http:\S+?)\/search/, env);
  const response = await fetch(`${url}/search/ai/search`, {
    method: 'POST',
    headers: { authorization: 'key-of-the-service', 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'boats', tools: ['Web Search'], model: 'NOVA' }),
  });
  expect(await response.text()).toContain(link);
  expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
});
