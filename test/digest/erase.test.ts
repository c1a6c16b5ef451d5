/** What is forgotten or purged is in no digest, and in no message with one; the rest stays. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { composeDigests } from '../../src/monitor/alerts/compose-digests.ts';
import { editRule } from '../../src/monitor/alerts/manage-rules.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { findPastDigest } from '../../src/monitor/digests/stored-digests.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { planDigests } from '../../src/monitor/schedule/plan-digests.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { openStage, type Stage } from '../tell/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const by = (name: string, text: string) => ({
  text,
  user: { id: `9${name.length}77`, username: name, name },
});
const count = async (word: string) => {
  const [row] = await stage.rows(
    `SELECT (SELECT count(*) FROM strandline.digests d WHERE position($1 IN d.value::text) > 0)::int AS digests,
       (SELECT count(*) FROM strandline.deliveries d WHERE position($1 IN d::text) > 0)::int AS messages`,
    [word],
  );
  return [row.digests, row.messages];
};

test('a forgotten author and a purged search leave a digest', async () => {
  const { ctx, clock, db } = stage.world;
  const memory = await stage.search('memory');
  const other = await stage.search('other');
  const ops = await stage.channel('ops');
  clock.set('2026-11-27T12:00:00Z');
  await stage.rule('all', 'ops', { digest: '0 8 * * *' });
  await stage.rule('memory-only', 'ops', { search: 'memory', digest: '0 8 * * *' });
  await planDigests(ctx, clock.now());
  await stage.finds(memory, [
    by('marigold', 'a marigold secret that nobody should read'),
    by('someone', 'something else that stays in the digest'),
  ]);
  await stage.finds(other, [by('third', 'what another search has found today')]);
  clock.set('2026-11-28T08:00:00Z');
  await planDigests(ctx, clock.now());
  await composeDigests(ctx);
  expect(await deliverDueMessages(ctx, ops, new AbortController().signal)).toBe(2);
  expect(await count('marigold')).toEqual([2, 2]);
  expect(await count('what another search')).toEqual([1, 1]);

  expect(await count('"search_name": "memory: Posts"')).toEqual([1, 0]);

  const author = await findAuthor(db, 'hosted', '@marigold');
  if (author === undefined) throw new Error('not known');
  await forgetAuthor(ctx, author);
  expect(await count('marigold')).toEqual([0, 0]);
  expect(await count('something else')).toEqual([2, 0]);
  const [{ id }] = await stage.rows('SELECT min(id) AS id FROM strandline.digests');
  const { digest } = await findPastDigest(db, id);
  expect(digest.topics.map(({ topic, posts, items }) => [topic, posts, items.length])).toEqual([
    ['memory', 2, 1],
    ['other', 1, 1],
  ]);

  // Otherwise the rule is removed with its search, and its digests with the rule.
  await editRule(ctx, 'memory-only', { search: null });
  await finishPurge(db, await requestPurge(ctx, { kind: 'search', slug: 'memory' }));
  expect(await count('something else')).toEqual([0, 0]);
  expect(await count('what another search')).toEqual([1, 1 - 1]);
  const names = await stage.rows(
    `SELECT value->>'topic_name' AS topic, value->>'search_name' AS search FROM strandline.digests ORDER BY id`,
  );
  expect(names, 'of a search, whose name may have its prompt').toEqual([
    { topic: null, search: null },
    { topic: null, search: null },
  ]);
  await finishPurge(db, await requestPurge(ctx, { kind: 'topic', slug: 'other' }));
  expect((await findPastDigest(db, id)).digest.topics.map(({ topic }) => topic)).toEqual(['memory']);
});
