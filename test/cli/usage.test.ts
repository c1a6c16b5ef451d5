import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
});
afterAll(() => stand.close());

const bare = ['search', 'add', 'x', '--prompt', 'p'];
const add = [...bare, '--operation', 'microblog'];

/** The input, and what the error must name: the place, the given value, the allowed ones. */
const refused: readonly (readonly [
  name: string,
  argv: readonly string[],
  names: readonly (string | RegExp)[],
])[] = [
  [
    'no operation',
    [...bare, '--every', '5m'],
    ['operation (--operation): got nothing; one of microblog, ai'],
  ],
  [
    'an address of another kind of channel',
    ['channels', 'add', 'x', '--webhook', 'https://hooks.slack.com/services/T0/B0/x'],
    ['webhook (--webhook)', 'hooks.slack.com need a channel of kind slack (slack_secret_url, or address'],
  ],
  [
    'an address of no kind of channel',
    ['channels', 'add', 'x', 'tides'],
    ['address: got "(hidden)"', 'ntfy'],
  ],
  [
    'half a channel',
    ['channels', 'add', 'x', '--telegram-chat', '1'],
    ['telegram-token-file (--telegram-token-file): got nothing'],
  ],
  [
    'two kinds of channel',
    ['channels', 'add', 'x', '--webhook', 'https://a.example/', '--email', 'a@b.example'],
    ['address: got nothing; where to send messages: webhook; email'],
  ],
  ['no change of a channel', ['channels', 'edit', 'x'], ['options: got', 'where to send messages: webhook']],
  ['no channel', ['channels', 'add', 'x'], ['address: got', 'where to send messages: webhook; email']],
  ['no cron fields', [...add, '--cron', ''], ['cron (--cron)', '""']],
  ['four cron fields', [...add, '--cron', '* * * *'], [/cron.* \(--cron\)/, '"* * * *"']],
  ['six cron fields', [...add, '--cron', '* * * * * *'], ['cron', '"* * * * * *"']],
  [
    'a schedule twice',
    [...add, '--cron', '0 8 * * *', '--every', '5m'],
    ['schedule', 'a cron expression or an interval', '--cron or --every'],
  ],
  ['no schedule', add, ['schedule', 'got nothing', 'a cron expression or an interval']],
  [
    'a blank prompt',
    [...add.slice(0, 3), '--operation', 'ai', '--prompt', ' \n ', '--every', '5m'],
    ['prompt (--prompt)'],
  ],
  [
    'an oversized prompt',
    [...add, '--every', '5m', '--prompt', 'x'.repeat(200_000)],
    ['prompt (--prompt)', 'characters'],
  ],
  [
    'a prompt that begins like an option',
    ['search', 'add', 'x', '--operation', 'ai', '--prompt', '--every', '5m'],
    [/too many|either a cron/],
  ],
  ...['0', '-5', '0.5', '1e15', '5', '5x', 'PT1H', '∞', '٥', '59s'].map(
    (every) =>
      [
        `an interval of ${every}`,
        [...add, '--every', every],
        ['every', JSON.stringify(every), 'interval'],
      ] as const,
  ),
  ...['Mars/Phobos', '', '+05:30', 'EST', 'UTC+2', '../../etc/passwd'].map(
    (tz) =>
      [
        `the zone "${tz}"`,
        [...add, '--cron', '0 8 * * *', '--tz', tz],
        ['tz', JSON.stringify(tz), 'such as Europe/Berlin'],
      ] as const,
  ),
  ...['2026-13-01', '2026-02-30', '-1d', '99999d', 'last week', '1.5h', ''].map(
    (since) =>
      [`since ${since}`, ['new', '--since', since], ['since', JSON.stringify(since), 'yesterday']] as const,
  ),
  ...['1e3', '0', '-1', '9007199254740993', 'ten', ''].map(
    (limit) =>
      [
        `a limit of ${limit}`,
        ['runs', 'list', '--limit', limit],
        ['limit', JSON.stringify(limit), 'from 1 to'],
      ] as const,
  ),
  [
    'a slug with spaces',
    ['search', 'add', 'A b', '--operation', 'ai', '--prompt', 'p', '--every', '5m'],
    ['slug', '"A b"', 'lowercase'],
  ],
  [
    'an unknown operation',
    [...add, '--every', '5m', '--operation', 'web'],
    ['operation', '"web"', 'ai, microblog'],
  ],
  [
    'tools of a microblog search',
    [...add, '--every', '5m', '--tools', 'Web Search'],
    ['tools (--tools)', 'Web Search'],
  ],
  [
    'an unknown tool',
    [...add, '--every', '5m', '--operation', 'ai', '--tools', 'Web Search,Nope'],
    ['tools[1]', '"Nope"', 'Web Search'],
  ],
  ['extra that is not an object', [...add, '--every', '5m', '--extra', '[1]'], ['extra', 'JSON object']],
  [
    'an unknown service',
    [...add, '--every', '5m', '--service', 'cloud'],
    ['service', '"cloud"', 'own, hosted'],
  ],
  ['an unknown status', ['runs', 'list', '--status', 'done'], ['status', '"done"', 'succeeded']],
  ['an unknown order', ['posts', 'list', '--sort', 'best'], ['sort', '"best"', 'likes']],
  ['an invalid id', ['runs', 'show', '1;DROP TABLE'], ['id', 'a whole number']],
  ['an unknown shell', ['autocomplete', 'tcsh'], ['shell', '"tcsh"', 'bash, zsh, fish']],
  ['an empty query', ['sql', ' '], ['query', 'one SQL statement']],
  ['a search and a run', ['completions', 'show', 'x', '--run', '1'], ['--run', 'either a search or a run']],
  [
    'an unknown command',
    ['serch'],
    ["unknown command 'serch'", 'Did you mean search?', 'strandline help --all lists'],
  ],
  ['help of an unknown command', ['help', 'serch'], ["unknown command 'serch'", 'Did you mean search?']],
  ['an unquoted text', ['watch', 'tide', 'pools'], ['too many', 'hint: put the text in quotes']],
  [
    'an unquoted cron expression',
    [...add, '--cron', '0', '8', '*', '*', 'MON'],
    ['hint: quote the expression'],
  ],
  [
    'an unknown command of a group',
    ['runs', 'lst'],
    ["unknown command 'lst'", 'Did you mean list?', 'strandline runs --help lists'],
  ],
  ['an unknown option', ['new', '--sinc', '1d'], ["unknown option '--sinc'", 'Did you mean --since?']],
  ['a missing argument', ['runs', 'show'], ["missing required argument 'id'"]],
  ['an extra argument', ['status', 'now'], ['too many arguments']],
  ['no command', [], ['Usage: strandline']],
  ['no command of a group', ['topic'], ['Usage: strandline topic']],
  ['only --', ['--'], ['Usage: strandline']],
];

describe('usage', () => {
  it.each(refused)('%s: exits with 2, writes to stderr and nothing to stdout', async (_name, argv, names) => {
    const { code, stdout, stderr } = await stand.run(argv);
    expect([code, stdout]).toEqual([2, '']);
    for (const name of names) expect(stderr).toMatch(name);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('reports all mistakes at once, one line each', async () => {
    const { code, stderr } = await stand.run([
      'search',
      'add',
      'x',
      '--operation',
      'ai',
      '--every',
      '1s',
      '--prompt',
      '',
    ]);
    expect(code).toBe(2);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.split(':').slice(0, 2).join(':')),
    ).toEqual(['error: prompt (--prompt)', 'error: every (--every)']);
  });

  it('reports all problems of an operation, each at its option, and refuses options that exclude each other', async () => {
    const wrong = ['--filter', 'ferry lnag:en', '--cooldown', 'soon', '--on', 'posts,tides', '--name', ' '];
    const scopes = ['--topic', 'harbour', '--search', 'harbour-posts', '--channel', 'a,B!'];
    for (const command of ['add', 'edit']) {
      const { code, stderr } = await stand.run(['rules', command, 'X', ...wrong, ...scopes]);
      expect(code).toBe(2);
      expect([...stderr.matchAll(/^error: ([^:]+): got/gm)].map(([, at]) => at)).toEqual([
        'rule',
        'on[1] (--on)',
        'filter (--filter)',
        'cooldown (--cooldown)',
        'channel[1] (--channel)',
        'name (--name)',
        'search (--search)',
      ]);
      expect(stderr).toContain('got "ferry lnag:en"; at character 7: one of the fields');
    }
    const { code, stderr } = await stand.run(['rules', 'edit', 'x', '--all', '--topic', 'harbour']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("'--all' cannot be used with option '--topic"),
    ]);
  });

  it('accepts unusual but valid values: 1h30m, Europe/berlin, yesterday', async () => {
    expect((await stand.run(['search', 'preview', '--every', '1h30m'])).code).toBe(0);
    const zone = await stand.json<{ tz: string }>(
      'search',
      'preview',
      '--cron',
      '0 8 * * *',
      '--tz',
      'Europe/berlin',
    );
    expect(zone.tz).toBe('Europe/Berlin');
    for (const since of [
      'yesterday',
      'today',
      '1h',
      '2d',
      '2026-11-21',
      '2026-11-21T14:05',
      '2026-11-21T14:05:09.5+01:00',
    ])
      expect([since, (await stand.run(['new', '--since', since])).code]).toEqual([since, 0]);
  });

  it('prints help and version to stdout and exits with 0', async () => {
    const help = await stand.run(['--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    for (const word of [
      'Commands for the first week:',
      'watch text',
      'help --all',
      'Examples:',
      'Exit codes',
    ])
      expect(help.stdout).toContain(word);
    const [, listed = ''] = /^Commands for the first week:\n((?: .*\n)+)/m.exec(help.stdout) ?? [];
    expect(listed.match(/^ {2}[a-z]+/gm)).toHaveLength(8);
    const all = await stand.run(['help', '--all']);
    expect([all.code, all.stderr]).toEqual([0, '']);
    for (const word of ['Watch:', 'watch text', 'search ...', 'help [command]'])
      expect(all.stdout).toContain(word);
    expect(await stand.run(['--help', '--all'])).toEqual(all);
    const version = await stand.run(['--version']);
    expect([version.code, version.stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  it('lists every command as its own help does, and as `help` prints it', async () => {
    const { stdout } = await stand.run(['help', '--all']);
    const lines = [...stdout.matchAll(/^  ([a-z]+)(?: (\S+))? {2,}\S/gm)].filter(
      ([, name]) => name !== 'help',
    );
    expect(lines.length).toBeGreaterThan(25);
    for (const [, name = '', rest = ''] of lines) {
      const own = await stand.run([name, '--help']);
      expect(own).toEqual(await stand.run(['help', name]));
      const [, options = ''] = new RegExp(`^Usage: strandline ${name} (.*)$`, 'm').exec(own.stdout) ?? [];
      const follows = rest === '...' ? '[command]' : rest.startsWith('[') ? rest : `<${rest}>`;
      // A command with an action of its own may have others below it.
      if (rest === '') expect(['[options]', '[options] [command]']).toContain(options);
      else expect([`[options] ${follows}`, `[options] [command] ${follows}`]).toContain(options);
    }
  });

  it('is shown whatever else is wrong in the command, but not for what follows --', async () => {
    const { stdout } = await stand.run(['posts', 'list', '--help']);
    for (const rest of [
      ['--limit', 'x', '--help'],
      ['-h', '--limit', 'x'],
      ['--limit', '--help'],
      ['--no-such', '-h'],
    ])
      expect(await stand.run(['posts', 'list', ...rest])).toEqual({ code: 0, stdout, stderr: '' });
    expect((await stand.run(['--utc', 'posts', 'list', '--limit', 'x', '--help'])).stdout).toBe(stdout);
    expect((await stand.run(['find', '--limit', '1', '--', '--help'])).stderr).not.toContain('Usage');
  });

  it('shows no default for an option that keeps the current value', async () => {
    const defaults = async (verb: string) =>
      (await stand.run(['search', verb, '--help'])).stdout.match(/\(default: (all|UTC|normal)\)/g) ?? [];
    expect(await defaults('add')).toHaveLength(3);
    expect(await defaults('edit')).toEqual([]);
  });

  it('fits its help into the terminal width', async () => {
    const { stdout } = await stand.run(['search', 'add', '--help'], {
      isTTY: true,
      columns: 60,
      env: { NO_COLOR: '1' },
    });
    const options = stdout.slice(0, stdout.indexOf('Examples:'));
    expect(Math.max(...options.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('names an invalid variable without printing secrets', async () => {
    const { code, stderr } = await stand.run(['config', 'show'], {
      env: { PORT: 'abc', REDIS_URL: 'http://u:hunter2@h' },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/PORT: got "abc"/);
    expect(stderr).not.toContain('hunter2');
  });
});

describe('something that does not exist', () => {
  it.each([
    [['search', 'show', 'nope']],
    [['search', 'run', 'nope', '--wait']],
    [['search', 'pause', 'nope']],
    [['topic', 'show', 'nope']],
    [['runs', 'show', '999']],
    [['runs', 'list', '--search', 'nope']],
    [['new', '--topic', 'nope']],
    [['completions', 'show', 'nope']],
    [['service', 'key', 'revoke', 'nope']],
  ])('%j prints one sentence and exits with 1', async (argv) => {
    const { code, stdout, stderr } = await stand.run(argv);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: there is no .*; see: strandline [a-z ]+ list\n$/);
  });

  it('an empty list is an empty array in JSON, and a sentence for a person', async () => {
    const { code, stdout, stderr } = await stand.run(['posts', 'list', '--json']);
    expect([code, stdout, stderr]).toEqual([0, '[]\n', 'No posts.\n']);
  });
});
