/** Digests in a terminal: of a span, past ones, and as Markdown. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { composeDigests } from '../../src/monitor/alerts/compose-digests.ts';
import { planDigests } from '../../src/monitor/schedule/plan-digests.ts';
import { openStage, type Stage } from '../tell/stage.ts';
import { commandsOf, homeOf, type Printed } from './stand.ts';

const TEXT = 'Ferry *7* is back in the [harbour]';
let stage: Stage;
let run: (...argv: string[]) => Promise<Printed>;
beforeAll(async () => {
  stage = await openStage();
  const { ctx, clock, database } = stage.world;
  const commands = commandsOf(homeOf(stage.world), { DATABASE_URL: database.url });
  run = (...argv) => commands.run(['--utc', ...argv]);
  const ferry = await stage.search('ferry');
  await stage.channel('ops');
  clock.set('2026-11-27T12:00:00Z');
  await createRule(ctx, { slug: 'mornings', digest: '0 8 * * *', channels: ['ops'] });
  await planDigests(ctx, clock.now());
  await stage.finds(ferry, [{ text: TEXT, like_count: 40 }]);
  clock.set('2026-11-28T08:00:00Z');
  await planDigests(ctx, clock.now());
  await composeDigests(ctx);
});
afterAll(() => stage.close());

test('a past digest is listed and shown, as text, Markdown and JSON', async () => {
  const list = await run('digest', 'list');
  expect([list.code, list.stdout]).toEqual([0, expect.stringMatching(/mornings .* sent/)]);
  const [past] = JSON.parse((await run('digest', 'list', '--json')).stdout);
  const shown = await run('digest', 'show', past.id);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`  ${TEXT}`)]);
  const markdown = await run('digest', 'show', past.id, '--markdown');
  expect(markdown.code).toBe(0);
  expect(markdown.stdout.split('\n')[0]).toBe('# All topics');
  expect(markdown.stdout).toMatch(/^- \[?Ferry \\\*7\\\* is back in the \\\[harbour\\\]/m);
  const { digest } = JSON.parse((await run('digest', 'show', past.id, '--json')).stdout);
  expect(digest.topics[0].items[0].text).toBe(TEXT);
  expect(await run('digest', 'show', '999')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('999'),
  });
  expect((await run('digest', 'show', past.id, '--markdown', '--json')).code).not.toBe(0);
});

test('what yesterday brought, and what is not relevant', async () => {
  const yesterday = await run(
    'digest',
    '--since',
    'yesterday',
    '--until',
    'today',
    '--topic',
    'ferry',
    '--markdown',
  );
  expect([yesterday.code, yesterday.stdout]).toEqual([0, expect.stringContaining('Ferry \\*7\\*')]);
  const [{ id }] = await stage.rows('SELECT id FROM strandline.posts WHERE text = $1', [TEXT]);
  expect((await run('digest', 'dismiss', 'ferry', '--post', String(id))).code).toBe(0);
  expect((await run('digest', 'dismissed')).stdout).toContain(TEXT);
  expect((await run('digest', '--since', '2d')).stdout).not.toContain(TEXT);
  expect((await run('digest', 'restore', 'ferry', '--post', String(id))).code).toBe(0);
  expect((await run('digest', '--since', '2d')).stdout).toContain(TEXT);
  expect((await run('digest', 'dismiss', 'ferry')).code).not.toBe(0);
});
