import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { SOURCE_VARIABLES } from '../../src/service/sources/source-registry.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { InvalidInput } from '../../src/model/errors.ts';
import { makeDirectory } from '../temporary.ts';

function refusal(env: Record<string, string>): string {
  try {
    const { settings } = readConfig(env);
    const unknown = settings.findUnknown([VARIABLES, SOURCE_VARIABLES]);
    if (unknown.length > 0) throw new InvalidInput(unknown);
    settings.read(SOURCE_VARIABLES);
    return 'accepted';
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}

test.each([
  [{ SEARCH_API_URL: 'ftp://host' }, 'SEARCH_API_URL', 'https://api.host'],
  [{ SEARCH_API_URL: 'https://user:canary@host' }, 'SEARCH_API_URL', 'without user, password'],
  [{ SEARCH_API_URL: 'https://host/?token=1' }, 'SEARCH_API_URL', 'query'],
  [{ DATABASE_URL: 'mysql://canary:canary@host/x' }, 'DATABASE_URL', 'postgres://'],
  [{ DATABASE_URL: 'canary' }, 'DATABASE_URL', 'postgres://'],
  [{ DATABASE_URL: 'postgres://canary:p@ss/w%#rd@host:99999/x' }, 'DATABASE_URL', '# are written %40'],
  [{ DATABASE_URL: '"postgres://canary@host/x"' }, 'DATABASE_URL', 'postgres://'],
  [{ DATABASE_URL: 'postgres://user:canary%@host/x' }, 'DATABASE_URL', '%25'],
  [{ REDIS_URL: 'http://:canary@host' }, 'REDIS_URL', 'redis://'],
  [{ WORKER_CONCURRENCY: '٨' }, 'WORKER_CONCURRENCY', '1 to 256'],
  [{ RUN_LEASE_SECONDS: '1e9' }, 'RUN_LEASE_SECONDS', '1 to 3600'],
  [{ MAX_ANSWER_BYTES: '-1' }, 'MAX_ANSWER_BYTES', 'a whole number'],
  [{ PORT: '0x1F' }, 'PORT', '0 to 65535'],
  [{ SEARCH_API_KEY_FILE: '/' }, 'SEARCH_API_KEY_FILE', 'EISDIR'],
  [{ REQUESTS_PER_MINUTE: '0' }, 'REQUESTS_PER_MINUTE', '1 to 1000000'],
  [{ WORKER_CONCURRENCY: '0' }, 'WORKER_CONCURRENCY', '1 to 256'],
  [{ CALLS_PER_DAY: '1e3' }, 'CALLS_PER_DAY', 'a whole number'],
  [{ SERVICE_PORT: '70000' }, 'SERVICE_PORT', '0 to 65535'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL', 'one of trace'],
  [{ SEARCH_API_KEY: 'canary', SEARCH_API_KEY_FILE: '/x' }, 'SEARCH_API_KEY_FILE', 'not both'],
  [{ BLUESKY_HANDLE: 'me.example' }, 'BLUESKY_APP_PASSWORD', 'to be set, since BLUESKY_HANDLE is'],
  [{ LLM_BASE_URL: 'http://localhost:11434/v1' }, 'LLM_MODEL', 'to be set'],
  [{ LLM_CALLS_PER_DAY: 'plan=0' }, 'LLM_CALLS_PER_DAY', 'plan=500'],
  [
    { LLM_CALLS_PER_DAY: 'think=5' },
    'LLM_CALLS_PER_DAY',
    'pairs of plan, write, check, judge, brief and translate',
  ],
  [{ X_BEARER_TOKEN: 'canary', X_USD_PER_DAY: '-1' }, 'X_USD_PER_DAY', 'dollars'],
  [{ REDDIT_USERNAME: 'me\nx: 1' }, 'REDDIT_USERNAME', 'without u/'],
  [{ SEARXNG_URL: 'http://user:canary@host' }, 'SEARXNG_URL', 'a key has a variable of its own'],
  [{ SERVICE_SOURCE_URLS: 'hacker-news' }, 'SERVICE_SOURCE_URLS', 'hacker-news=https://mirror.host'],
  [
    { SERVICE_API_KEYS: 'good,canary-schlüssel' },
    'SERVICE_API_KEYS',
    'printable ASCII characters, without Bearer',
  ],
  [{ SERVICE_API_KEYS: 'Bearer canary' }, 'SERVICE_API_KEYS', 'without Bearer'],
  [{ SEARCH_API_KEY_FILE: '/nowhere/key' }, 'SEARCH_API_KEY_FILE', 'ENOENT'],
])('%j is refused: names the place and the allowed values, and repeats no secret', (env, path, allowed) => {
  const words = refusal(env);
  expect(words).toContain(path);
  expect(words).toContain(allowed);
  expect(words).not.toContain('canary');
});

test.each([
  [undefined, { plan: 5_000, write: 5_000, check: 5_000, judge: 5_000, brief: 5_000, translate: 5_000 }],
  ['70', { plan: 70, write: 70, check: 70, judge: 70, brief: 70, translate: 70 }],
  ['plan=5, 70', { plan: 5, write: 70, check: 70, judge: 70, brief: 70, translate: 70 }],
  [
    'check=1,write=2,judge=3,brief=4,translate=5',
    { plan: 5_000, write: 2, check: 1, judge: 3, brief: 4, translate: 5 },
  ],
])('LLM_CALLS_PER_DAY=%s limits each purpose', (text, limits) => {
  const { service } = readConfig({
    LLM_BASE_URL: 'http://localhost:11434/v1',
    LLM_MODEL: 'm',
    ...(text !== undefined && { LLM_CALLS_PER_DAY: text }),
  });
  expect(service.model?.callsPerDay).toEqual(limits);
});

test.each([
  ['DATABASE_URL', 'postgres://user:p%40%3A%2F%23@host:5432/name?sslmode=verify-full'],
  ['DATABASE_URL', 'postgres://user@%2Fvar%2Frun%2Fpostgresql/name'],
  ['DATABASE_URL', 'postgres://user:word@[::1]:5432/name'],
  ['REDIS_URL', 'rediss://:word@host:6380/1'],
  ['SEARCH_API_URL', ' https://b\u00fccher.example/api/ '],
])('accepts %s as %s', (name, value) => {
  const read = Object.values(readConfig({ [name]: value })).map((one) => JSON.stringify(one) ?? '');
  expect(read.some((one) => one.includes(value.trim()))).toBe(true);
});

describe('a secret in a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await makeDirectory();
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each<[what: string, make: (at: string) => Promise<unknown> | undefined, why: string]>([
    ['that does not exist', () => undefined, 'ENOENT'],
    ['that is a folder', (at) => mkdir(at), 'EISDIR'],
    ['that links to itself', (at) => symlink(at, at), 'ELOOP'],
    ['that never ends', (at) => symlink('/dev/zero', at), 'EFBIG'],
    ['of 50 MB', (at) => writeFile(at, Buffer.alloc(50_000_000, 'x')), 'EFBIG'],
    ['in another encoding', (at) => writeFile(at, Buffer.from('sch\u00fcssel', 'latin1')), 'text in UTF-8'],
  ])('%s is refused', async (what, make, why) => {
    const file = join(folder, what.replaceAll(' ', '-'));
    await make(file);
    expect(refusal({ SEARCH_API_KEY_FILE: file })).toContain(why);
    expect(refusal({ MASTER_KEY_FILE: file })).toContain('MASTER_KEY_FILE');
  });

  test.each([
    ['with Windows line endings', '\ufeffthe-key\r\n'],
    ['without a final newline', 'the-key'],
    ['between empty lines', '\n\n the-key \n\n'],
  ])('%s gives the same secret', async (what, text) => {
    const file = join(folder, what.replaceAll(' ', '-'));
    await writeFile(file, text);
    const given = { SEARCH_API_URL: 'https://api.example', SEARCH_API_KEY_FILE: file };
    expect(readConfig(given).hosted?.key).toBe('the-key');
  });

  test('that is empty counts as no secret', async () => {
    const file = join(folder, 'empty');
    await writeFile(file, '\n');
    expect(refusal({ SEARCH_API_KEY_FILE: file })).toContain('SEARCH_API_KEY');
  });

  test('may be a pipe', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'printf "the-key\\n" > "$0"', pipe]);
    expect(readConfig({ SERVICE_API_KEYS_FILE: pipe }).secrets).toEqual(['the-key']);
    if (writer.exitCode === null) await once(writer, 'exit');
  });
});

describe('the env file', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await makeDirectory();
    file = join(folder, 'strandline.config.json');
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function read(text: string | Buffer, env: Record<string, string> = {}): Promise<string> {
    await writeFile(file, text);
    return refusal({ STRANDLINE_DATA_DIR: join(folder, 'data'), ...env });
  }

  test.each<[what: string, text: string | Buffer, line: number, words: string]>([
    ['an unknown name', '{\n  "PROT": 1\n}', 2, 'got "PROT"; the name of a variable; did you mean PORT?'],
    ['a non-secret name with _FILE', '{"PORT_FILE": "x"}', 1, 'got "PORT_FILE"'],
    ['the name of the env file itself', '{"STRANDLINE_CONFIG": "x"}', 1, 'got "STRANDLINE_CONFIG"'],
    ['an invalid value', '{\n\n"PORT": "http"}', 3, 'PORT: got "http"; a port number'],
    ['a fraction', '{"PORT": 1.5}', 1, 'PORT: got "1.5"'],
    ['an invalid value of a source', '{"X_USD_PER_DAY": "much"}', 1, 'X_USD_PER_DAY: got "much"; dollars'],
    ['a secret', '{"PORT": 1,\n"MASTER_KEY": "canary"}', 2, 'set MASTER_KEY_FILE to its path'],
    ['a secret of a source', '{\n"BRAVE_API_KEY": "canary"}', 2, 'set BRAVE_API_KEY_FILE to its path'],
    ['a password', '{"DATABASE_URL": "postgres://u:canary@h/x"}', 1, 'set DATABASE_URL_FILE to its path'],
    ['a password after a ?', '{"DATABASE_URL": "postgres://h/x?password=canary"}', 1, 'DATABASE_URL_FILE'],
    ['a password elsewhere', '{"BASE_URL": "https://u:canary@h"}', 1, 'a URL without a password'],
    ['a duplicate name', '{"PORT": 1,\n"HOST": "h",\n"PORT": 2}', 3, 'also set on line 1'],
    ['a missing comma', '{"MASTER_KEY_FILE": "/canary"\n"PORT": 1}', 2, 'a comma before the next'],
    ['a trailing comma', '{"PORT": 1,\n}', 2, 'the name of a variable in double quotes'],
    ['an unquoted name', '{PORT: 1}', 1, 'the name of a variable in double quotes'],
    ['an unterminated string', '{"PORT": "canary\n}', 1, 'a string in double quotes'],
    ['null', '{"PORT": null}', 1, 'got "null"; a string'],
    ['a list', '{"SERVICE_SOURCES":\n["auto"]}', 2, 'got "["; a string'],
    ['a nested list', '[]', 1, 'one JSON object'],
    ['nothing', '', 1, 'one JSON object'],
    ['trailing content', '{}\n{}', 2, 'nothing after the object'],
    ['a truncated file', '{"PORT": 1\n', 2, '} at the end'],
  ])('%s is refused with its line, without repeating a secret', async (_, text, line, words) => {
    const refused = await read(text);
    expect(refused).toContain(`${file}:${line}`);
    expect(refused).toContain(words);
    expect(refused).not.toContain('canary');
  });

  test('an unreadable file is refused; the default one may be missing', async () => {
    expect(await read(Buffer.alloc(1_000_001, ' '))).toContain('at most one megabyte');
    expect(refusal({ STRANDLINE_CONFIG: join(folder, 'other.json') })).toContain('(ENOENT)');
    expect(refusal({ STRANDLINE_CONFIG: folder })).toContain('(EISDIR)');
    expect(refusal({ STRANDLINE_DATA_DIR: join(folder, 'elsewhere/data') })).toBe('accepted');
  });

  test('the environment overrides it, and each value shows its origin', async () => {
    const lines = [
      '{',
      '"PORT": 9000,',
      '"HOST": "h",',
      '"MASTER_KEY_FILE": "nowhere",',
      '"LOG_LEVEL": ""',
      '}',
    ];
    const env = { STRANDLINE_CONFIG: file, HOST: '::1', MASTER_KEY: 'k'.repeat(32) };
    expect(await read(lines.join('\n'), env)).toBe('accepted');
    const { http, masterKey, logLevel, settings } = readConfig(env);
    expect([http, masterKey, logLevel]).toMatchObject([
      { port: 9000, host: '::1' },
      env.MASTER_KEY,
      undefined,
    ]);
    expect(settings.find(VARIABLES.http.port)).toMatchObject({ from: 'config_file', file: `${file}:2` });
    expect(settings.find(VARIABLES.http.host)).toMatchObject({ from: 'environment' });
  });

  test('a secret may be a path relative to the folder of the env file', async () => {
    await writeFile(join(folder, 'key'), 'the-key\n');
    expect(await read('{"SERVICE_API_KEYS_FILE": "key"}')).toBe('accepted');
    const { secrets, settings } = readConfig({ STRANDLINE_CONFIG: file });
    expect(secrets).toEqual(['the-key']);
    const setting = settings.find(VARIABLES.service.keys);
    expect(setting).toMatchObject({
      from: 'file',
      file: join(folder, 'key'),
      where: `${file}:1: SERVICE_API_KEYS_FILE`,
    });
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ REDIS_URL: '', CALLS_PER_DAY: ' ' })).toMatchObject({
    redisUrl: undefined,
    callsPerDay: undefined,
  });
});

test('other credentials in a URL are neither repeated nor logged', () => {
  expect(refusal({ SEARCH_API_URL: 'https://api.example/v1?api_key=canary' })).not.toContain('canary');
  expect(readConfig({ REDIS_URL: 'redis://host:6379?password=canary' }).secrets).toEqual(['canary']);
});

test('every secret is registered, whichever variable it came from', () => {
  const { secrets, settings } = readConfig({
    SERVICE_API_KEYS: 'one, two',
    BLUESKY_HANDLE: 'me.example',
    BLUESKY_APP_PASSWORD: 'three',
    LLM_API_KEY: 'four',
  });
  settings.read(SOURCE_VARIABLES);
  expect(secrets.toSorted()).toEqual(['four', 'one', 'three', 'two']);
});

test('credentials in any URL of a list are registered, also in a file; words of a search are none', async () => {
  const folder = await makeDirectory();
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'pages.txt');
  await writeFile(file, 'https://a.example/x?token=two\n');
  const { secrets, settings } = readConfig({
    FEEDS: 'en,https://a.example/feed?key=one,https://a.example/search?keyword=news',
    PAGES: file,
  });
  settings.read(SOURCE_VARIABLES);
  expect(secrets.toSorted()).toEqual(['one', 'two']);
});

test('every variable has a default', () => {
  expect(readConfig({})).toMatchObject({
    maxCallsPerRun: 2,
    leaseMs: 30_000,
    heartbeatMs: 30_000,
    workerConcurrency: 16,
  });
});
