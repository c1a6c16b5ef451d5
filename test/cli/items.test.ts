/** Single posts, authors and links, and how they changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

const POST = 'https://x.com/before/status/1001';
const [START, LATER] = ['2026-11-21T12:00:00.000Z', '2026-11-21T12:40:00.000Z'];

let stand: Stand;
/** Two runs: the author is renamed, and edits one of two posts. */
beforeAll(async () => {
  stand = await makeStand();
  const respond = (username: string, text: string) =>
    stand.stub.answers(
      json({
        miner_tweets: [
          wirePost('1001', {
            text,
            url: `https://x.com/${username}/status/1001`,
            user: { id: '91', username },
          }),
          wirePost('1002', { user: { id: '92', username: 'Twin' } }),
          wirePost('1003', { user: { id: '93', username: 'twin' } }),
        ],
      }),
    );
  respond('before', 'as \u001b[31mit was');
  await stand.run(['search', 'add', 'ferry', '--operation', 'microblog', '--prompt', 'p', '--every', '15m']);
  stand.world.clock.advance(40 * MINUTE);
  respond('after', 'edited');
  await stand.run(['search', 'run', 'ferry', '--wait']);
});
afterAll(() => stand.close());

type Shown = { post: { id: string }; versions: unknown[]; found_by: unknown[] };

describe('posts show', () => {
  it('shows what changed, when, and which run saw it', async () => {
    const { stdout } = await stand.run(['posts', 'show', POST]);
    expect(stdout).toMatch(/^by +@after$/m);
    expect(stdout).toMatch(/^found by +ferry$/m);
    expect(stdout).toMatch(/^views +–$/m);
    expect(stdout.slice(stdout.indexOf('\nversions\n')).trimEnd().split('\n')).toEqual([
      '',
      'versions',
      expect.stringMatching(/^from +until +seen by +changed$/),
      expect.stringMatching(/^2026-11-21 12:40:00Z +current +ferry, run \d+ +Text: edited$/),
      expect.stringMatching(
        /^2026-11-21 12:00:00Z +2026-11-21 12:40:00Z +ferry, run \d+ +Text: as it was; Published/,
      ),
    ]);
  });

  it('prints the same as JSON, by id and by address with another handle or host', async () => {
    const shown = await stand.json<Shown>('posts', 'show', POST);
    expect(shown.versions).toMatchObject([
      { valid_from: START, valid_until: LATER, search: 'ferry', changed: expect.arrayContaining(['text']) },
      { valid_from: LATER, valid_until: null, search: 'ferry', text: 'edited', changed: ['text'] },
    ]);
    expect(shown.found_by).toMatchObject([{ search: 'ferry', unseen: false }]);
    for (const named of [shown.post.id, POST, 'https://twitter.com/renamed/status/1001?s=20'])
      expect(await stand.json('posts', 'show', named)).toEqual(shown);
  });

  it('shows no versions of a post that never changed', async () => {
    const named = 'https://x.example/user_1002/status/1002';
    expect((await stand.run(['posts', 'show', named])).stdout).not.toContain('versions');
    expect((await stand.json<Shown>('posts', 'show', named)).versions).toHaveLength(1);
  });

  it.each([
    ['999', 1, 'error: there is no post 999\n'],
    ['https://x.com/before/status/9', 1, 'error: no post https://x.com/before/status/9 is stored\n'],
    // Another site with the same number.
    ['https://y.example/status/1001', 1, 'error: no post https://y.example/status/1001 is stored\n'],
    ['somebody', 2, 'error: post: got "somebody"; an id or an address (https://...)\n'],
  ])('refuses %s', async (named, code, stderr) => {
    expect(await stand.run(['posts', 'show', named])).toMatchObject({ code, stderr });
  });
});

describe('authors show', () => {
  it('shows former handles', async () => {
    const { stdout } = await stand.run(['authors', 'show', '@AFTER']);
    expect(stdout).toMatch(/^username +@after$/m);
    expect(stdout).toMatch(/current +ferry, run \d+ +Handle: @after$/m);
    const shown = await stand.json<{ author: { id: string }; versions: unknown[] }>(
      'authors',
      'show',
      '@after',
    );
    expect(shown.versions).toMatchObject([
      { username: 'before', valid_until: LATER, changed: ['username'] },
      { username: 'after', valid_until: null, changed: ['username'] },
    ]);
    expect(await stand.json('authors', 'show', shown.author.id)).toEqual(shown);
  });

  it('asks for the id where a handle is of several authors', async () => {
    const { code, stderr } = await stand.run(['authors', 'show', '@twin']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: @twin matches several authors\. Use the id of one: \d+ \(hosted\), \d+ \(hosted\)\n$/,
      ),
    ]);
    expect((await stand.run(['authors', 'show', '@nobody'])).stderr).toBe(
      'error: no author @nobody is stored\n',
    );
  });
});

describe('links show', () => {
  it('shows all addresses of a link as returned, and the searches that found it', async () => {
    const addresses = ['https://www.a.example/x?utm_source=b', 'https://a.example/x'];
    stand.stub.answers(json({ search: addresses.map((link) => ({ title: 'A title', link })) }));
    await stand.run(['search', 'add', 'ferry-web', '--operation', 'ai', '--prompt', 'p', '--every', '1h']);
    const [{ id } = { id: '' }, ...others] = await stand.json<{ id: string }[]>('links', 'list');
    expect(others).toEqual([]);
    const shown = await stand.json<{ addresses: string[] }>('links', 'show', id);
    expect(shown).toMatchObject({
      link: { title: 'A title', site: 'a.example' },
      found_by: [{ search: 'ferry-web' }],
    });
    expect(shown.addresses.toSorted()).toEqual(addresses.toSorted());
    const { stdout } = await stand.run(['links', 'show', id]);
    expect(stdout).toMatch(/^found by +ferry-web$/m);
    expect(stdout.trimEnd().split('\n').slice(-3)).toEqual(['', ...addresses]);
    expect((await stand.run(['links', 'show', '999'])).stderr).toBe('error: there is no link 999\n');
  });
});
