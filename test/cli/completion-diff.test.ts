/** `completions diff` and `links first`, as a person and as a program sees them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompletionDiff } from '../../src/store/queries/completion-diff.ts';
import { json } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

const OLD = 'https://old.example/a';
const FRESH = 'https://fresh.example/b';

let stand: Stand;
const result = (link: string) => ({ title: `About ${link.slice(8)}`, link, snippet: '' });

async function look(completion: string, ...links: string[]): Promise<void> {
  stand.world.clock.advance(3_600_000);
  stand.stub.answers(json({ search: links.map(result), completion }));
  const { code, stderr } = await stand.run(['search', 'run', 'port', '--wait']);
  if (code !== 0) throw new Error(stderr);
}

beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(
    json({
      search: [result(OLD)],
      completion: `The port is closed [1](${OLD}). It rained [1](${OLD}) all day.`,
    }),
  );
  const { code, stderr } = await stand.run([
    'search',
    'add',
    'port',
    '--operation',
    'ai',
    '--prompt',
    'port',
    '--every',
    '1h',
  ]);
  if (code !== 0) throw new Error(stderr);
});
afterAll(() => stand.close());

describe('completions diff', () => {
  it('shows the first completion without a comparison', async () => {
    const { code, stderr } = await stand.run(['completions', 'diff', 'port']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing to compare it with')]);
  });

  it('shows new, removed and re-sourced statements', async () => {
    await look(
      `The port is closed [1](${OLD}) [2](${FRESH}). A crane fell down [2](${FRESH}) on it [7].`,
      OLD,
      FRESH,
    );
    const { code, stdout } = await stand.run(['completions', 'diff', 'port']);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => !/^(from|to|between) +/.test(line))).toEqual([
      'search      port',
      'statements  1 new, 1 removed, 1 unchanged (1 with other sources)',
      'similarity  50 %',
      'sources     1 added, 0 removed',
      '',
      'new',
      '+ A crane fell down on it.',
      expect.stringMatching(/^ {2}new source: About fresh\.example\/b, web, first seen 2026-/),
      `  ${FRESH}`,
      '  cites [7], which is not in the list of sources',
      '',
      'removed',
      '- It rained all day.',
      expect.stringMatching(/^ {2}cited: About old\.example\/a, web, first seen 2026-/),
      `  ${OLD}`,
      '',
      'with other sources',
      '~ The port is closed.',
      expect.stringMatching(/^ {2}now cites: About fresh\.example\/b/),
      `  ${FRESH}`,
      '',
    ]);
  });

  it('shows a completion with its citations next to the previous one, and labels the first as first', async () => {
    const diff = await stand.json<CompletionDiff>('completions', 'diff', 'port');
    const show = async (run: unknown) =>
      (await stand.run(['completions', 'show', '--run', String(run)])).stdout;
    expect(await show(diff.from.run_id)).toMatch(/^change +first completion, nothing to compare$/m);
    expect(await show(diff.to.run_id)).toMatch(
      /^change +changed: 1 statement new, 1 removed, 1 unchanged; 1 source added, 0 removed; 50 % similar$/m,
    );
  });

  it('prints the same as JSON, with ids as strings and times in ISO 8601', async () => {
    const diff = await stand.json<Record<keyof CompletionDiff, unknown>>('completions', 'diff', 'port');
    expect(diff).toMatchObject({
      search: 'port',
      from: { run_id: expect.stringMatching(/^\d+$/), claims: 2 },
      gaps: { between: 0, after: 0 },
      kept: 0,
      new_claims: [
        {
          text: 'A crane fell down on it.',
          unresolved: [7],
          brought_by: [{ url: FRESH, returned: true, first_seen_at: expect.stringMatching(/Z$/) }],
        },
      ],
      gone_claims: [{ text: 'It rained all day.' }],
      changed_claims: [{ cited_new: [{ url: FRESH }], cited_gone: [] }],
    });
  });

  it('compares with the last completion before a time, and says when that is the first one', async () => {
    await look(`A crane fell down [2](${FRESH}) on it.`, FRESH);
    const [first] = (await stand.json<{ id: string }[]>('runs', 'list', '--search', 'port')).toReversed();
    const { code, stdout, stderr } = await stand.run([
      'completions',
      'diff',
      'port',
      '--since',
      '2020-01-01',
    ]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`compared with the first one, of run ${first?.id}`),
    ]);
    expect(stdout).toContain(`from        run ${first?.id}, `);
    const last = await stand.run(['completions', 'diff', 'port', '--from', first?.id ?? '']);
    expect(last.stdout).toContain('statements  1 new, 2 removed, 0 unchanged');
  });

  it('matches the query in the documentation', async () => {
    const page = await readFile(
      new URL('../../docs/internals/links-and-completions.md', import.meta.url),
      'utf8',
    );
    const [, query = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
    await stand.world.db.pool.query(
      `UPDATE strandline.claims SET first_seen_at = now();
       UPDATE strandline.link_sightings SET first_seen_at = now() - CASE WHEN link_id = (SELECT id FROM strandline.links WHERE canonical = '${OLD}') THEN interval '30 days' ELSE interval '0' END`,
    );
    expect(await stand.json('sql', query.replace('harbour-ferry-ai', 'port'))).toMatchObject([
      { text: 'A crane fell down on it.', url: FRESH },
    ]);
  });

  it('counts a failed run in between as a gap, not as a removal', async () => {
    stand.world.clock.advance(60_000);
    stand.stub.answers(json({ detail: 'no' }, 401));
    await stand.run(['search', 'run', 'port', '--wait']);
    const { stdout } = await stand.run(['completions', 'diff', 'port']);
    expect(stdout).toContain('after       1 run without a completion');
    expect(await stand.json('sql', 'select count(*) as n from claims where current')).toEqual([{ n: 1 }]);
  });

  it.each([
    [['port', '--since', '1d', '--from', '1'], 2, 'either since or from'],
    [['port', '--to', 'x'], 2, 'an id'],
    [['port', '--from', '999'], 1, 'run 999 is no run of "port"'],
    [['nothing'], 1, 'there is no search "nothing"'],
  ])('refuses %j', async (argv, code, words) => {
    expect(await stand.run(['completions', 'diff', ...argv])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(words),
    });
  });

  it('shows a statement once if two texts of the completion contain it', async () => {
    const said = `A lock broke [1](${OLD}).`;
    stand.world.clock.advance(3_600_000);
    stand.stub.answers(json({ search: [result(OLD)], completion: { summary: said, twitter_summary: said } }));
    await stand.run(['search', 'resume', 'port']);
    const run = await stand.run(['search', 'run', 'port', '--wait']);
    expect(run.code, run.stderr).toBe(0);
    const { stdout } = await stand.run(['completions', 'diff', 'port']);
    expect(stdout).toContain('  1 new, 1 removed, ');
    expect(stdout.match(/A lock broke/g)).toHaveLength(1);
    expect(stdout).toContain('+ A lock broke.\n  in: summary, microblog\n  cites: About old');
    const diff = await stand.json<CompletionDiff>('completions', 'diff', 'port');
    expect(diff.new_claims.map(({ roles }) => roles)).toEqual([['summary', 'microblog_summary']]);
  });

  it('fits the terminal width', async () => {
    const { stdout } = await stand.run(['completions', 'diff', 'port', '--since', '2020-01-01'], {
      env: { COLUMNS: '30' },
    });
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(30);
  });
});

describe('links first', () => {
  it('shows who had each link first', async () => {
    const { stdout } = await stand.run(['links', 'first']);
    expect(stdout).toMatch(/first seen +by search +source +baseline +searches +title/);
    expect(stdout).toMatch(/Z +port +web +1 +About fresh/);
    expect(stdout).toMatch(/Z +port +web +baseline +1 +About old/);
    expect(await stand.json('links', 'first', '--limit', '1')).toMatchObject([
      { url: FRESH, search: 'port', source: 'web', nth: 1, searches: 1, baseline: false, lead_seconds: null },
    ]);
  });

  it('highlights the words of a query on a terminal, and nowhere else', async () => {
    const argv = ['links', 'first', 'fresh'];
    const { stdout } = await stand.run(argv, { isTTY: true });
    expect(stdout).toContain('About \u001B[1mfresh\u001B[22m');
    expect((await stand.run(argv)).stdout).not.toContain('\u001B[');
  });

  it('limits the list to links first seen since a time', async () => {
    const since = (time: string) => stand.json<unknown[]>('links', 'first', '--since', time);
    expect([(await since('2020-01-01')).length, (await since('2100-01-01')).length]).toEqual([2, 0]);
  });
});
