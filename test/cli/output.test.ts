import { execFile } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderDiscovery } from '../../src/cli/discovery-rendering.ts';
import { detectTerminalPage } from '../../src/cli/terminal-io.ts';
import { runCli } from '../../src/cli/command-line.ts';
import { renderTable } from '../../src/cli/terminal-table.ts';
import type { DiscoveryRow } from '../../src/store/queries/discoveries.ts';
import { programOf } from '../programs.ts';
import { json, wirePost } from '../stub-service.ts';
import { collector, makeStand, type Stand } from './stand.ts';

const HOSTILE =
  '\u001b[2J\u001b]0;owned\u0007evil \u202egnp.exe\u202c \u009b31m👨‍👩‍👧‍👦 שלום\r\nsecond\u2028third';

// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028]/;

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(
    json({
      miner_tweets: [
        wirePost('1', { text: HOSTILE, like_count: 12_304 }),
        wirePost('2', {
          text: 'a long text about the harbour ferry that goes on and on and never ends',
          like_count: null,
        }),
        wirePost('3', { text: '日本語のとても長い文章がここにあります。'.repeat(4) }),
      ],
    }),
  );
  await stand.run(['search', 'add', 'ferry', '--operation', 'microblog', '--prompt', 'p', '--every', '15m']);
});
afterAll(() => stand.close());

const COMMANDS: readonly (readonly string[])[] = [
  ['posts', 'list'],
  ['posts', 'top'],
  ['posts', 'growth'],
  ['trends'],
  ['new', '--baseline'],
  ['runs', 'list'],
  ['runs', 'show', '1'],
  ['search', 'list'],
  ['search', 'show', 'ferry'],
  ['topic', 'list'],
  ['topic', 'show', 'ferry'],
  ['links', 'list'],
  ['status'],
  ['config', 'show'],
  ['sql', 'select id, text, like_count from posts order by id'],
  ['search', 'preview', 'ferry'],
  ['service', 'key', 'list'],
];

describe('JSON', () => {
  it.each(COMMANDS.map((argv) => [argv]))(
    '%j prints one document and nothing else, ids as strings',
    async (argv) => {
      const { code, stdout } = await stand.run([...argv, '--json']);
      expect(code).toBe(0);
      expect(stdout.endsWith('\n')).toBe(true);
      const wrong: string[] = [];
      JSON.parse(stdout, (name, value: unknown) => {
        if (/(^|_)id$/.test(name) && typeof value === 'number') wrong.push(name);
        if (name.endsWith('_at') && value !== null && !isInstant(value)) wrong.push(name);
        return value;
      });
      expect(wrong).toEqual([]);
    },
  );

  it.each([
    [['search', 'run', 'ferry', '--wait']],
    [['watch', 'a second ferry']],
    [['search', 'add', 'third', '--operation', 'microblog', '--prompt', 'p', '--every', '1h']],
    [['export', 'posts', '--format', 'ndjson']],
    [['status']],
  ])('%j sends messages to stderr, even at the most verbose log level', async (argv) => {
    const asked = argv[0] === 'export' ? argv : [...argv, '--json'];
    const { code, stdout } = await stand.run(asked, {
      isTTY: true,
      env: { LOG_LEVEL: 'trace' },
    });
    expect(code).toBe(0);
    const documents = argv[0] === 'export' ? stdout.trimEnd().split('\n') : [stdout];
    for (const one of documents) expect(() => JSON.parse(one)).not.toThrow();
  });

  it('keeps hostile text unchanged but escapes control characters for a terminal', async () => {
    const { stdout } = await stand.run(['posts', 'list', '--json']);
    expect(stdout).not.toMatch(UNSAFE);
    const texts = (JSON.parse(stdout) as { text: string }[]).map(({ text }) => text);
    expect(texts).toContain(HOSTILE);
  });
});

describe('tables', () => {
  it.each([1, 12, 40, 80, 200])('fit into %i columns, whatever they contain', async (width) => {
    for (const argv of COMMANDS) {
      const { code, stdout } = await stand.run(argv, {
        isTTY: true,
        env: { COLUMNS: String(width), TERM: 'xterm' },
      });
      expect(code).toBe(0);
      const lines = stdout.split('\n').map(plain);
      expect([argv, lines.filter((line) => displayWidth(line) > width)]).toEqual([argv, []]);
    }
  });

  const LONG = 'a-search-whose-slug-is-rather-long-and-is-typed-next';

  it.each([80, 100])('show values to copy in full at %i columns', async (width) => {
    const env = { COLUMNS: String(width), NO_COLOR: '1' };
    const prompt = ['--prompt', 'all that is said about the harbour ferry', '--every', '15m'];
    if (width === 80)
      await stand.run([
        'search',
        'add',
        LONG,
        '--operation',
        'microblog',
        '--topic',
        `${LONG}-topic`,
        ...prompt,
      ]);
    const lists = [
      ['search', 'list'],
      ['runs', 'list'],
      ['new', '--baseline'],
      ['new', '--baseline', '--search', LONG],
    ];
    for (const argv of lists) {
      const { stdout } = await stand.run(argv, { isTTY: true, env });
      expect([argv, stdout.includes(LONG)]).toEqual([argv, true]);
    }
    const { stdout } = await stand.run(['search', 'show', LONG], { isTTY: true, env });
    expect(stdout).not.toContain('…');
  });

  it.each([60, 80, 130])('show the addresses of posts and links at %i columns', async (width) => {
    const over = { isTTY: true, env: { COLUMNS: String(width), NO_COLOR: '1' } };
    for (const argv of [
      ['posts', 'list'],
      ['new', '--baseline', '--search', 'ferry'],
    ]) {
      const { stdout } = await stand.run(argv, over);
      expect(stdout).toMatch(/https:\/\/\S+\/1$/m);
    }
  });

  it.each([60, 80])('mark baseline discoveries at %i columns', async (width) => {
    const { stdout } = await stand.run(['new', '--baseline', '--search', 'ferry'], {
      isTTY: true,
      env: { COLUMNS: String(width), NO_COLOR: '1' },
    });
    // The head and three posts.
    expect(stdout.match(/\bbaseline\b/g)).toHaveLength(4);
  });

  it('send a terminal no escape sequences except their own colors', async () => {
    const { stdout } = await stand.run(['posts', 'list'], { isTTY: true, columns: 200 });
    expect(stdout).toContain('\u001b[');
    expect(plain(stdout)).not.toMatch(UNSAFE);
    for (const gone of ['\u001b[2J', 'owned', '31m']) expect(stdout).not.toContain(gone);
    expect(stdout).toContain('evil gnp.exe 👨‍👩‍👧‍👦 שלום second third');
  });

  it.each([
    ['NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }],
    ['TERM=dumb', { isTTY: true, env: { TERM: 'dumb' } }],
    ['a pipe', { isTTY: false }],
  ])('use no colors with %s', async (_name, over) => {
    for (const argv of [['posts', 'list'], ['--help'], ['status'], ['runs', 'list']])
      expect((await stand.run(argv, over)).stdout).not.toContain('\u001b');
  });

  it('print full texts, grouped numbers, full times and a sign for unknown values to a pipe', async () => {
    const { stdout } = await stand.run(['posts', 'list', '--sort', 'likes']);
    expect(stdout).toContain('a long text about the harbour ferry that goes on and on and never ends');
    expect(stdout).toMatch(/^ *12,304 .* 2026-11-21 11:00:00Z /m);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^ *– .* 2026-11-21 11:00:00Z /);
  });

  it('print a long text in full to a pipe, without padding other lines', () => {
    const page = detectTerminalPage({ env: {}, isTTY: false });
    const texts = ['short', 'word '.repeat(520).trim()];
    const columns = [
      { head: 'text', cell: (text: string) => text, elastic: 4 },
      { head: 'address', cell: () => 'https://a.example/1' },
    ];
    const [head, short, long] = renderTable(texts, columns, page);
    expect(long).toBe(`${texts[1]}  https://a.example/1`);
    expect(short).toMatch(/^short {2,60}https:/);
    expect(head?.indexOf('address')).toBe(short?.indexOf('https:'));
  });

  it('use ASCII signs with LANG=C', async () => {
    for (const argv of [['status'], ['sql', `select '${'a long text '.repeat(9)}' as text`]]) {
      const over = { isTTY: true, env: { LANG: 'C', COLUMNS: '40', NO_COLOR: '1' } };
      const { stdout } = await stand.run(argv, over);
      expect(stdout).toMatch(/^[\n -~]+$/);
      expect(stdout.includes('...')).toBe(argv[0] === 'sql');
    }
  });

  it.each(['0', '-1', 'wide', '1e9', '999999', '∞', ''])('ignore COLUMNS=%s', async (width) => {
    const listed = (env: Record<string, string>) =>
      stand.run(['posts', 'list'], { isTTY: true, columns: 90, env });
    expect((await listed({ COLUMNS: width })).stdout).toBe((await listed({})).stdout);
  });

  it('do not change in a Turkish locale', async () => {
    const { stdout } = await stand.run(['posts', 'list'], { env: { LC_ALL: 'tr_TR.UTF-8' } });
    expect(stdout).toContain('12,304');
  });
});

describe('stdout that closes', () => {
  it('ends without an error or a message when the reader closes the pipe', async () => {
    for (const argv of [['new', '--baseline'], ['--help'], ['new', '--baseline', '--follow', '--json']]) {
      const { code, stderr } = await stand.run(argv, { stdout: failing('EPIPE') });
      expect([argv, code, stderr]).toEqual([argv, 0, '']);
    }
  });

  it('fails when the disk is full', async () => {
    for (const argv of [['new', '--baseline'], ['--help'], ['--version']]) {
      const { code, stderr } = await stand.run(argv, { stdout: failing('ENOSPC') });
      expect([argv, code, stderr]).toEqual([
        argv,
        1,
        expect.stringContaining('error: cannot write to stdout: write ENOSPC'),
      ]);
    }
  });

  it('exits with 0 behind `| head -1`', async () => {
    const script = `set -o pipefail; node "${programOf('src/main.ts')}" sql "select generate_series(1, 300000)" | head -1`;
    const { url, readerUrl } = stand.world.database;
    // Vite sets a BASE_URL of its own.
    const env = { ...process.env, BASE_URL: '', DATABASE_URL: url, DATABASE_READER_URL: readerUrl };
    const ran = await promisify(execFile)('bash', ['-c', script], { env }).catch((error: unknown) => error);
    expect(ran).toMatchObject({ stdout: 'generate_series\n' });
    expect(ran).not.toBeInstanceOf(Error);
  });
});

describe('new --follow', () => {
  it('prints new discoveries, one object per line, and exits with 0 on Ctrl-C', async () => {
    const lines = new PassThrough();
    const stderr = collector();
    const io = {
      stdout: lines,
      stderr: stderr.stream,
      env: { DATABASE_URL: stand.world.database.url },
      isTTY: false,
    };
    const ended = runCli(['new', '--baseline', '--follow', '--json', '--limit', '1'], io, {
      open: () => Promise.resolve(stand.home),
    });
    const seen: string[] = [];
    lines.on('data', (chunk: Buffer) => seen.push(...chunk.toString('utf8').trim().split('\n')));
    await until(() => seen.length === 1);
    stand.stub.answers(json({ miner_tweets: [wirePost('77'), wirePost('78')] }));
    await stand.run(['search', 'run', 'ferry', '--wait']);
    await until(() => seen.length === 3);
    process.emit('SIGINT');
    expect(await ended).toBe(0);
    const rows = seen.map((line) => JSON.parse(line) as { id: string; text: string });
    expect(rows.slice(1).map(({ text }) => text)).toEqual(['post 77', 'post 78']);
    expect(stderr.text()).toBe('');
  });
});

describe('a followed discovery', () => {
  const row: DiscoveryRow = {
    id: 1n,
    at: new Date('2026-11-21T10:55:30Z'),
    kind: 'post',
    baseline: false,
    search_id: 1n,
    search: 'harbour-posts',
    topic: 'harbour',
    run_id: 1n,
    post_id: 1n,
    link_id: null,
    completion_id: null,
    text: 'Ferry 7\nis back',
    url: 'https://a.example/1',
    author_username: 'ines',
    created_at: null,
    like_count: 12,
    repost_count: 0,
    reply_count: 0,
    view_count: null,
    spike_id: null,
    first_in_topic: true,
    named_post_id: null,
    simulated: false,
    trend_state_id: null,
    hidden: false,
  };
  const lines = (width: number) =>
    renderDiscovery(row, detectTerminalPage({ env: { COLUMNS: String(width) }, isTTY: false }));

  it('has the same form, whatever came before it', () => {
    expect(lines(80)).toEqual([
      '10:55:30Z  harbour-posts  post  @ines  "Ferry 7 is back"  12 likes',
      '  https://a.example/1',
    ]);
    expect(renderDiscovery(row, detectTerminalPage({ env: {}, isTTY: false }))).toEqual([
      '10:55:30Z  harbour-posts  post  @ines  "Ferry 7 is back"  12 likes  https://a.example/1',
    ]);
  });

  it.each([1, 20, 50])('fits into %i columns', (width) => {
    for (const line of lines(width)) expect(line.length).toBeLessThanOrEqual(width);
  });

  it('fits with a name of wide characters, too', () => {
    const wide = { ...row, author_username: '港口新闻港口新闻', text: 'Ferry 7 is back '.repeat(4) };
    const page = detectTerminalPage({ env: { COLUMNS: '80' }, isTTY: false });
    for (const line of renderDiscovery(wide, page)) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  });
});

/** A line without our colors. */
function plain(line: string): string {
  // oxlint-disable-next-line no-control-regex
  return line.replace(/\u001b\[\d+m/g, '');
}

/** Wide characters by their block, emoji sequences as one: counted here without the tested library. */
function displayWidth(line: string): number {
  let width = 0;
  for (const { segment } of new Intl.Segmenter('en').segment(line)) {
    const wide = /\p{Extended_Pictographic}|[\u1100-\u115f\u3000-\u9fff\uac00-\ud7a3\uff00-\uff60]/u.test(
      segment,
    );
    width += wide ? 2 : 1;
  }
  return width;
}

/** A stream whose other end fails at the first write. */
function failing(code: string): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error(`write ${code}`), { code }));
    },
  });
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

async function until(done: () => boolean): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (done()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  throw new Error('it did not come');
}
