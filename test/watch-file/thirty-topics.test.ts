/** A file of thirty topics, kept by a person: applied, edited, planned, pruned and described, by commands. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeStand, type Stand } from '../cli/stand.ts';
import { makeDirectory } from '../temporary.ts';

const directory = await makeDirectory();
const at = (name: string) => path.join(directory, name);

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
});
afterAll(() => stand.close());

/** What a person changes. */
const edit = (topic: string, i: number) =>
  i === 3 ? topic.replace('harbour 3, every: 1h', 'night ferry, every: 30m') : topic;

const run = (...argv: string[]) =>
  stand.run(argv, { env: { OPS_URL: 'http://127.0.0.1:1/secret-of-the-test', WEBHOOK_ALLOW: '127.0.0.1' } });
const file = at('watch.yaml');

function writeTopics(count: number, change: (topic: string, i: number) => string = (topic) => topic): string {
  const topics = Array.from({ length: count }, (_, i) =>
    change(
      `  topic-${i}:
    name: Topic ${i}
    searches:
      topic-${i}-posts: { prompt: harbour ${i}, every: 1h }
      topic-${i}-ai: { prompt: harbour ${i}, operation: ai, cron: 0 8 * * 1-5, tz: Europe/Berlin, labels: [desk] }
`,
      i,
    ),
  );
  return `name: desk
channels:
  ops: { webhook: { env: OPS_URL } }
topics:
${topics.join('')}rules:
  all: { on: [post, spike], channels: [ops] }
  first: { topic: topic-0, on: [spike], channels: [ops] }
`;
}

describe('with the real Postgres', () => {
  beforeAll(() => {
    // `CHANNELS_ALLOW` of the world, whose commands use its configuration.
    const { ctx } = stand.world;
    Object.assign(ctx, {
      config: {
        ...ctx.config,
        webhook: { ...ctx.config.webhook, allow: '127.0.0.1' },
        masterKey: 'of the test, which seals nothing that matters',
      },
    });
  });

  test('plan says what is new, and exits with 3; apply does it; then plan has nothing', async () => {
    await writeFile(file, writeTopics(30));
    const planned = await run('plan', '-f', file);
    expect([planned.code, planned.stdout.split('\n').length]).toEqual([3, 94]);
    expect(planned.stderr).toMatch(
      /^desk: 93 to create\nPaid calls a day: hosted 0 → 750, at most 2,000\n60 new searches/,
    );
    expect(planned.stderr).toContain(`To apply it: strandline apply -f ${file}`);
    const applied = await run('apply', '-f', file);
    expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining('Applied 93 of 93.')]);
    expect(applied.stdout).toMatch(/^whsec_\S+$/m);
    expect(planned.stdout + planned.stderr + applied.stdout + applied.stderr).not.toContain(
      'secret-of-the-test',
    );
    expect(await run('plan', '-f', file)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('93 unchanged'),
    });
  });

  test('an edit is shown as what it is, and nothing else', async () => {
    await writeFile(file, writeTopics(30, edit));
    const { code, stdout, stderr } = await run('plan', '-f', file);
    expect([code, stdout]).toEqual([
      3,
      `  topic   topic-3
  ~ search  topic-3-posts  new baseline
            prompt  "harbour 3" → "night ferry"
            every   1h → 30m
`,
    ]);
    expect(stderr).toMatch(/^desk: 1 to change, 92 unchanged\n.*\nNew baseline: /);
    expect((await run('apply', '-f', file)).code).toBe(0);
    expect((await run('plan', '-f', file)).code).toBe(0);
  });

  test('what the file no longer has stays, unless it is pruned; most of it only with --yes', async () => {
    await writeFile(file, writeTopics(28, edit));
    const kept = await run('plan', '-f', file);
    expect([kept.code, kept.stderr]).toEqual([
      0,
      expect.stringContaining('6 not in the file, but owned by desk'),
    ]);
    expect(await run('apply', '-f', file, '--prune')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Applied 6 of 6.'),
    });
    await writeFile(file, writeTopics(10, edit));
    const refused = await run('apply', '-f', file, '--prune');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('add --yes')]);
    expect((await run('apply', '-f', file, '--prune', '--yes')).code).toBe(0);
    const { rows } = await stand.world.db.pool.query<{ topics: number; runs: number }>(
      `SELECT (SELECT count(*)::int FROM strandline.topics WHERE archived_at IS NULL) AS topics, (SELECT count(*)::int FROM strandline.runs) AS runs`,
    );
    // No history is deleted: each search had its first run.
    expect(rows).toEqual([{ topics: 10, runs: 60 }]);
  });

  test('what is described is what there is', async () => {
    const { code, stdout } = await run('describe', '--all');
    expect(code).toBe(0);
    expect(stdout).not.toContain('secret-of-the-test');
    await writeFile(at('described.yaml'), stdout);
    expect(await run('plan', '-f', at('described.yaml'))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('33 unchanged'),
    });
    const one = await run('describe', 'topic-0');
    expect(one.stdout.match(/^ {2}[\w-]+:/gm)).toEqual(
      ['  ops:', '  topic-0:', '  all:', '  first:'].filter((name) => name !== '  all:'),
    );
  });

  test('a plan that was reviewed is applied only as it is', async () => {
    const changeTo = (every: string) =>
      writeTopics(10, (topic, i) =>
        i === 5 ? topic.replace('every: 1h', `every: ${every}`) : edit(topic, i),
      );
    await writeFile(file, changeTo('2h'));
    const planned = await run('plan', '-f', file, '--json');
    const { fingerprint } = JSON.parse(planned.stdout) as { fingerprint: string }; // as the command prints it
    await writeFile(file, changeTo('3h'));
    const refused = await run('apply', '-f', file, '--fingerprint', fingerprint);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was changed since')]);
    await writeFile(file, changeTo('2h'));
    expect((await run('apply', '-f', file, '--fingerprint', fingerprint)).code).toBe(0);
  });

  test('all problems are said at once, each at its line', async () => {
    await writeFile(
      file,
      `name: desk
channels:
  two: { webhook: { env: NO_SUCH_VARIABLE } }
topics:
  ferry:
    serches: {}
    searches:
      ferry-posts: { prompt: ferry, evry: 1h }
      ferry-posts: { prompt: ferry, every: 1h }
rules:
  one: { channels: [opps], topic: topic-00 }
`,
    );
    const { code, stdout, stderr } = await run('apply', '-f', file);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.replaceAll(`${file}:`, '').split('\n')).toEqual([
      'error: 3: channels.two.webhook: the variable NO_SUCH_VARIABLE is not set',
      expect.stringMatching(/^error: 6: topics\.ferry\.serches: .*did you mean searches\?$/),
      'error: 8: topics.ferry.searches.ferry-posts: given again at line 9',
      expect.stringMatching(/^error: 8: topics\.ferry\.searches\.ferry-posts\.evry: .*did you mean every\?$/),
      expect.stringMatching(/^error: 8: topics\.ferry\.searches\.ferry-posts\.schedule: /),
      expect.stringMatching(/^error: 11: rules\.one\.channels: got "opps"; a channel of the file/),
      expect.stringMatching(/^error: 11: rules\.one\.topic: got "topic-00"; .*did you mean topic-0\?$/),
      '',
    ]);
  });

  test('a list of topics becomes topics as watch creates them', async () => {
    await writeFile(
      at('topics.csv'),
      '\uFEFFtext,slug,every\r\n"tide, ""pools""",pools,30m\r\nsalt marsh,,\r\n',
    );
    expect((await run('apply', '--topics', at('topics.csv'), '--name', 'beats')).code).toBe(0);
    expect(await stand.json('search', 'show', 'pools-posts')).toMatchObject({
      prompt: 'tide, "pools"',
      every_seconds: 1_800,
    });
    expect(await stand.json('search', 'show', 'salt-marsh-ai')).toMatchObject({
      every_seconds: 3_600,
      topic: 'salt-marsh',
    });
    await writeFile(at('topics.txt'), '# mine\nsalt marsh\n\nTide "gauges"\nsalt marsh\n');
    const { code, stderr } = await run('plan', '--topics', at('topics.txt'));
    expect([code, stderr]).toEqual([
      2,
      `error: ${at('topics.txt')}:5: line 2 has the slug salt-marsh, too\n`,
    ]);
  });

  test.each([
    [['plan'], 'give a file'],
    [['plan', '-f', at('none.yaml')], 'none.yaml: a file that can be read (ENOENT)'],
    [['describe'], 'a topic, or --all'],
    [['describe', 'no-such-topic'], 'there is no topic'],
    [['apply', '-f', file, '--prune', '--release'], "cannot be used with option '--release'"],
  ])('%j is refused', async (argv, words) => {
    const { code, stderr } = await run(...argv);
    expect([code, stderr]).toEqual([expect.not.stringMatching('0'), expect.stringContaining(words)]);
    expect(code).not.toBe(0);
  });
});

test('in the sandbox, the service is that of the sandbox', async () => {
  const sandbox = await makeStand('sandbox');
  try {
    await writeFile(
      at('sandbox.yaml'),
      'topics: { tides: { searches: { tides-posts: { prompt: tides, every: 1h } } } }',
    );
    expect((await sandbox.run(['--sandbox', 'apply', '-f', at('sandbox.yaml')])).code).toBe(0);
    const { stdout } = await sandbox.run(['--sandbox', 'describe', 'tides']);
    expect(stdout).not.toContain('service');
    await writeFile(at('sandbox.yaml'), stdout);
    expect((await sandbox.run(['--sandbox', 'plan', '-f', at('sandbox.yaml')])).code).toBe(0);
  } finally {
    await sandbox.close();
  }
});
