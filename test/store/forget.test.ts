import { expect, test, vi } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { parseLateResponses, replayRun } from '../../src/monitor/runs/late-and-replay.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import type { Id } from '../../src/store/db/database.ts';
import { countStored, findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { storeResponse } from '../../src/store/runs/responses.ts';
import { intercepted } from '../intercepted.ts';
import { gated, json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';
import { findDangling } from './dangling.ts';

const { stub, world, rows } = await stubbedWorld();

async function forget(given: string): Promise<Record<string, number>> {
  const author = await findAuthor(world.db, 'hosted', given);
  return author === undefined ? {} : forgetAuthor(world.ctx, author);
}

async function firstRun(slug: string, body: unknown, operation: 'ai' | 'microblog' = 'microblog') {
  stub.answers(json(body));
  const made = await createSearch(world.ctx, { slug, operation, prompt: slug, every: '15m' });
  expect((await executeRun(world.ctx, made.firstRunId))?.status).toBe('succeeded');
  return made;
}

async function runAgain(slug: string, body: unknown): Promise<Id> {
  stub.answers(json(body));
  world.clock.advance(60_000);
  const { runId } = await insertManualRun(world.ctx, slug);
  expect((await executeRun(world.ctx, runId))?.status).toBe('succeeded');
  return runId;
}

/** Every row of every one of our tables, as text: where a word still occurs. */
async function tablesWith(word: string): Promise<string[]> {
  const tables = await rows(
    `SELECT relname FROM pg_class WHERE relnamespace = 'strandline'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const found: string[] = [];
  for (const { relname } of tables) {
    const hits = await rows(`SELECT FROM strandline.${relname} t WHERE position($1 IN t::text) > 0 LIMIT 1`, [
      word,
    ]);
    if (hits.length > 0) found.push(relname);
  }
  return found;
}

const person = (id: string, word: string) => ({
  user: {
    id: `77${word}`,
    username: `p_${word}`,
    name: `Person ${word}`,
    url: `https://x.example/p_${word}`,
  },
  url: `https://x.example/p_${word}/status/${id}`,
});

test('no table contains anything of a forgotten author, and nothing of others is lost', async () => {
  const word = 'quuxberg';
  const mine = wirePost('1000000001', { ...person('1000000001', word), text: `I wrote ${word}` });
  const body = {
    miner_tweets: [
      mine,
      wirePost('1000000002', { text: 'of another' }),
      wirePost('1000000003', {
        is_quote_tweet: true,
        quoted_status_id: '1000000001',
        quote: `I wrote ${word}`,
      }),
      wirePost('1000000004', {
        is_retweet: true,
        retweeted_status_id: '1000000001',
        text: `RT I wrote ${word}`,
        retweet: mine,
      }),
    ],
  };
  const { search } = await firstRun('whole', body);
  await firstRun(
    'whole-ai',
    {
      web_search_results: {
        organic_results: [{ title: `Profile ${word}`, link: `https://x.example/p_${word}`, snippet: word }],
      },
      search_completion_links: [mine['url'], 'https://b.example/2'],
      completion_links: [mine['url'], 'https://b.example/2'],
      completion: {
        summary: 'What is said',
        key_posts: [
          { text: `says ${word}`, url: mine['url'] },
          { text: 'other', url: 'https://b.example/2' },
        ],
        key_tweets: [],
        key_news: [],
        key_sources: [],
      },
    },
    'ai',
  );
  await rows(
    `INSERT INTO strandline.rejects (run_id, path, code, sample) SELECT max(id), 'p', 'no_id', '{"username":"p_${word}"' FROM strandline.runs`,
  );
  await fillArchive(world.db, { batches: 5 });
  expect(await tablesWith(word)).toEqual(
    expect.arrayContaining(['posts', 'authors', 'links', 'key_items', 'rejects', 'archive_documents']),
  );
  const othersBefore = await rows(
    `SELECT count(*)::int AS n FROM strandline.posts WHERE external_id IN ('1000000002', '1000000003')`,
  );
  expect(othersBefore).toEqual([{ n: 2 }]);

  const gone = await forget(`@P_${word}`);
  expect(gone).toMatchObject({
    authors: 1,
    posts: 2,
    links: 2,
    key_items: 1,
    rejects: 1,
    quotes: 1,
    answers: 2,
  });
  expect(await tablesWith(word)).toEqual([]);
  expect(await tablesWith('1000000001/')).toEqual([]);
  expect(await findDangling(world.db)).toEqual([]);
  expect(
    await rows(
      `SELECT FROM strandline.search_tops t WHERE kind = 'author' AND NOT EXISTS (SELECT FROM strandline.authors WHERE id::text = t.name)`,
    ),
  ).toEqual([]);
  expect(
    await rows(
      `SELECT external_id, quote FROM strandline.posts WHERE external_id LIKE '100000000%' ORDER BY 1`,
    ),
  ).toEqual([
    { external_id: '1000000002', quote: null },
    { external_id: '1000000003', quote: null },
  ]);
  expect(await rows(`SELECT text FROM strandline.key_items`)).toEqual([{ text: 'other' }]);
  expect(await rows(`SELECT cardinality(completion_links) AS n FROM strandline.completions`)).toEqual([
    { n: 1 },
  ]);

  const again = await runAgain('whole', body);
  expect(await tablesWith(word), 'also in no kept answer of a later run').toEqual([]);
  expect(await rows('SELECT FROM strandline.responses WHERE run_id = $1', [again])).toEqual([]);
  expect(
    await rows('SELECT kind FROM strandline.discoveries WHERE search_id = $1 AND run_id = $2', [
      search.id,
      again,
    ]),
  ).toEqual([]);
});

test('skips new posts of a forgotten author, even if a later response has no author', async () => {
  const word = 'zorbmann';
  await firstRun('later', { miner_tweets: [wirePost('1100000001', person('1100000001', word))] });
  await forget(`77${word}`);
  const second = wirePost('1100000002', { ...person('1100000002', word), text: `again ${word}` });
  const { user: _, ...unsigned } = second;
  const quoting = wirePost('1100000003', {
    is_quote_tweet: true,
    quoted_status_id: '1100000002',
    quote: second,
  });
  await runAgain('later', { miner_tweets: [second, quoting] });
  await runAgain('later', { miner_tweets: [unsigned, wirePost('1100000004')] });
  expect(await tablesWith(word)).toEqual([]);
  expect(
    await rows(`SELECT external_id FROM strandline.posts WHERE external_id LIKE '11000000%' ORDER BY 1`),
  ).toEqual([{ external_id: '1100000003' }, { external_id: '1100000004' }]);
});

test('raw responses that name only a former username go, too', async () => {
  const renamed = (username: string) => ({ user: { id: '77renamed', username, name: 'Renamed' } });
  await firstRun('renamed', [wirePost('1000000501', { ...renamed('former_name'), text: 'before' })]);
  await runAgain('renamed', [wirePost('1000000501', { ...renamed('later_name'), text: 'before' })]);
  await firstRun('mentions', [wirePost('1000000502', { text: 'thanks @former_name' })]);
  const [{ n }] = await rows('SELECT count(*)::int AS n FROM strandline.responses');
  const gone = await forget('@later_name');
  expect(gone).toMatchObject({ answers: 3 });
  expect(await rows('SELECT count(*)::int AS n FROM strandline.responses')).toEqual([{ n: n - 3 }]);
});

test('links to a former profile go, too, and stay away, also under the spellings of LINK_RULES', async () => {
  const word = 'movedly';
  const renamed = (username: string) => ({
    user: { id: `77${word}`, username, name: 'Moved', url: `https://x.example/${username}` },
    url: `https://x.example/${username}/status/1000000601`,
  });
  await firstRun('moved', { miner_tweets: [wirePost('1000000601', renamed(`was_${word}`))] });
  await runAgain('moved', { miner_tweets: [wirePost('1000000601', renamed(`is_${word}`))] });
  const linkRules = [{ host: 'mirror.example', alias: 'x.example' }];
  const hosts = ['x.example', 'mirror.example'];
  const former = hosts.map((host) => ({
    title: 'Profile',
    link: `https://${host}/was_${word}`,
    snippet: 's',
  }));
  const other = { title: 'Other', link: 'https://x.example/other', snippet: 's' };
  const body = { search: [...former, other] };
  const { config } = world.ctx;
  world.ctx.config = { ...config, linkRules };
  try {
    await firstRun('moved-ai', body, 'ai');
    const linked = `SELECT FROM strandline.link_addresses WHERE position('${word}' IN address) > 0`;
    expect(await rows(linked)).toHaveLength(2);
    await forget(`@is_${word}`);
    expect(await tablesWith(word)).toEqual([]);
    await runAgain('moved-ai', body);
    expect(await tablesWith(word)).toEqual([]);
    expect(await rows(`SELECT FROM strandline.links WHERE canonical = '${other.link}'`)).toHaveLength(1);
  } finally {
    world.ctx.config = config;
  }
  await runAgain('moved-ai', body);
  expect(await tablesWith(word), 'nor without the rule').toEqual([]);
});

test('earlier versions of a post that another author has now name nobody', async () => {
  const by = (id: string) => ({ user: { id, username: `name_${id}`, name: 'N' } });
  await firstRun('handed', { miner_tweets: [wirePost('1000000701', by('77former'))] });
  await runAgain('handed', { miner_tweets: [wirePost('1000000701', by('77present'))] });
  const authors = `SELECT v.author_id IS NULL AS unknown FROM strandline.post_versions v
    JOIN strandline.posts p ON p.id = v.post_id WHERE p.external_id = '1000000701' ORDER BY v.observed_at`;
  expect(await rows(authors)).toEqual([{ unknown: false }, { unknown: false }]);
  await forget('77former');
  expect(await rows(authors)).toEqual([{ unknown: true }, { unknown: false }]);
  expect(await findDangling(world.db)).toEqual([]);
});

test('former addresses of their posts go, too, with links to them, and stay away', async () => {
  const write = (word: string) => {
    const author = person('1000000061', word);
    return wirePost('1000000061', { ...author, user: { ...author.user, id: '7761' }, text: 'a post' });
  };
  await firstRun('moved-post', { miner_tweets: [write('formerly')] });
  const former = 'https://x.example/p_formerly/status/1000000061';
  const linked = {
    web_search_results: { organic_results: [{ title: 'A post', link: former, snippet: 's' }] },
  };
  await firstRun('moved-post-links', linked, 'ai');
  await runAgain('moved-post', { miner_tweets: [write('recently')] });
  expect(await tablesWith('p_formerly')).toEqual(expect.arrayContaining(['links', 'topic_items']));
  await forget('7761');
  expect(await tablesWith('p_formerly')).toEqual([]);
  expect(await tablesWith('p_recently')).toEqual([]);
  await runAgain('moved-post-links', linked);
  expect(await tablesWith('p_formerly')).toEqual([]);
  expect(await findDangling(world.db)).toEqual([]);
});

test('forgetting twice has no effect; an unknown author is reported, and an ambiguous name needs an id', async () => {
  const word = 'twicely';
  await firstRun('twice', {
    miner_tweets: [
      wirePost('1200000001', person('1200000001', word)),
      wirePost('1200000002', { user: { ...person('', word).user, id: 'other-id' } }),
    ],
  });
  await expect(forget(`@p_${word}`)).rejects.toThrow(/several authors.*77twicely, other-id/);
  expect(await forget(`77${word}`)).toMatchObject({ authors: 1, posts: 1 });
  expect(await forget(`77${word}`)).toEqual({});
  expect(await rows(`SELECT FROM strandline.posts WHERE external_id = '1200000002'`)).toHaveLength(1);
  await expect(forget('77nobody')).rejects.toThrow('no author 77nobody of hosted is stored');
  await expect(findAuthor(world.db, 'elsewhere', '1')).rejects.toThrow(/no service "elsewhere".*hosted/);
});

test('a response received while its author is forgotten does not restore the author', async () => {
  const word = 'racerly';
  const body = { miner_tweets: [wirePost('1300000001', person('1300000001', word)), wirePost('1300000002')] };
  await firstRun('race', body);
  const gate = gated(json(body));
  stub.answers(gate.answer);
  world.clock.advance(60_000);
  const { runId } = await insertManualRun(world.ctx, 'race');
  const asked = stub.requests.length;
  const under = executeRun(world.ctx, runId);
  await vi.waitFor(() => expect(stub.requests.length).toBeGreaterThan(asked), { timeout: 60_000 });
  await forget(`77${word}`);
  gate.open();
  expect((await under)?.status).toBe('succeeded');
  expect(await tablesWith(word)).toEqual([]);
});

test('a response that was cut off, and is stored and saved while its author is forgotten, goes with them', async () => {
  const word = 'tardyon';
  const body = { miner_tweets: [wirePost('1350000001', person('1350000001', word))] };
  const { search } = await firstRun('tardy', body);
  const { runId } = await insertManualRun(world.ctx, 'tardy');
  await executeRun({ ...world.ctx, config: { ...world.ctx.config, maxCallsPerRun: 0 } }, runId);
  const receivedAt = world.clock.now();
  world.clock.advance(60 * 60_000);
  await runAgain('tardy', { miner_tweets: [] });

  const arrive = async () => {
    await rows(
      `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at) VALUES ($1, 1, $2, 1, 'unknown', $3)`,
      [runId, search.service_id, receivedAt],
    );
    const bytes = Buffer.from(JSON.stringify(body));
    const response = { n: 1, httpStatus: 200, contentType: 'application/json', body: bytes, receivedAt };
    await storeResponse(world.db, { runId, response, latencyMs: 1, costUsd: null });
    await parseLateResponses(world.ctx, runId);
  };
  // When the responses that are there have been read, and before saves are blocked.
  let arrived: unknown[] = [];
  const db = intercepted(world.db, {
    ofPool: async (query, given) => {
      const answer = await query(...given);
      if (arrived.length === 0 && answer.rows.length === 0 && String(given[0]).includes('a.body')) {
        await arrive();
        arrived = await rows('SELECT read_at FROM strandline.responses WHERE run_id = $1', [runId]);
      }
      return answer;
    },
  });
  const author = await findAuthor(world.db, 'hosted', `77${word}`);
  if (author === undefined) throw new Error('not there');
  await forgetAuthor({ ...world.ctx, db }, author);
  expect(arrived).toEqual([{ read_at: expect.any(Date) }]);
  expect(await rows('SELECT FROM strandline.responses WHERE run_id = $1', [runId])).toEqual([]);
  expect(await tablesWith(word)).toEqual([]);
});

test('many concurrent saves and deletions of the same authors: no forgotten author returns, and all others remain', async () => {
  const people = Array.from({ length: 8 }, (_, n) => `mob${n}x`);
  const body = {
    miner_tweets: [
      ...people.map((word, n) => wirePost(`140000000${n}`, person(`140000000${n}`, word))),
      wirePost('1400000009'),
    ],
  };
  await firstRun('mob-0', body);
  stub.answers(json(body));
  const runs: Id[] = [];
  for (let n = 1; n <= 12; n += 1) {
    const made = await createSearch(world.ctx, {
      slug: `mob-${n}`,
      operation: 'microblog',
      prompt: 'mob',
      every: '15m',
    });
    runs.push(made.firstRunId);
  }
  const [reports] = await Promise.all([
    Promise.all(runs.map((id) => executeRun(world.ctx, id))),
    Promise.all(people.map((word) => forget(`77${word}`))),
  ]);
  expect(reports.map((report) => report?.status)).toEqual(runs.map(() => 'succeeded'));
  for (const word of people) expect(await tablesWith(word), word).toEqual([]);
  expect(
    await rows(`SELECT count(*)::int AS n FROM strandline.post_sightings s JOIN strandline.posts p ON p.id = s.post_id
      WHERE p.external_id = '1400000009'`),
  ).toEqual([{ n: 13 }]);
});

test('parsing an old response again does not restore an author forgotten since', async () => {
  const word = 'replayo';
  const { firstRunId } = await firstRun('again', {
    miner_tweets: [wirePost('1500000001', person('1500000001', word)), wirePost('1500000002')],
  });
  const [kept] = await rows('SELECT * FROM strandline.responses WHERE run_id = $1', [firstRunId]);
  await forget(`77${word}`);
  // As from a copy of the answer that was made before.
  await rows(
    `INSERT INTO strandline.responses (run_id, n, http_status, content_type, body, sha256, bytes, received_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      kept.run_id,
      kept.n,
      kept.http_status,
      kept.content_type,
      kept.body,
      kept.sha256,
      kept.bytes,
      kept.received_at,
    ],
  );
  await replayRun(world.ctx, firstRunId);
  expect(await tablesWith(word)).toEqual([]);
  await expect(replayRun(world.ctx, firstRunId)).rejects.toThrow(/no stored response/);
});

test('links that only their posts have go with them; links of others stay, and their own post stays away under any spelling', async () => {
  const word = 'zorkvale';
  const at = (address: string) => ({ entities: { urls: [{ expanded_url: address }] } });
  const own = `https://diary.example/${word}`;
  const common = 'https://www.common.example/story';
  const url = `https://twitter.com/p_${word}/status/1000000091`;
  const links = (...addresses: string[]) => ({
    web_search_results: { organic_results: addresses.map((link) => ({ title: 'a', link, snippet: '' })) },
  });
  await firstRun('links-of-posts', {
    miner_tweets: [
      wirePost('1000000091', { ...person('1000000091', word), ...at(own), url }),
      wirePost('1000000092', { ...person('1000000092', word), ...at(common) }),
      wirePost('1000000093', at(common)),
    ],
  });
  await firstRun('links-of-answers', links(url), 'ai');
  const stored = () =>
    rows('SELECT url FROM strandline.links WHERE url = ANY ($1) ORDER BY url', [[own, common, url]]);
  expect(await stored()).toHaveLength(3);

  const author = await findAuthor(world.db, 'hosted', `@p_${word}`);
  const preview = author && (await countStored(world.ctx, author));
  const { posts, links: gone } = await forget(`@p_${word}`);
  expect(preview).toEqual({ posts, links: gone });
  expect(preview).toEqual({ posts: 2, links: 2 });
  expect(await stored()).toEqual([{ url: common }]);
  expect(
    await rows(
      'SELECT count(*)::int AS n FROM strandline.post_links p JOIN strandline.links l ON l.id = p.link_id WHERE l.url = $1',
      [common],
    ),
  ).toEqual([{ n: 1 }]);
  expect(await tablesWith(word)).toEqual([]);
  expect(await findDangling(world.db)).toEqual([]);

  await runAgain('links-of-posts', {
    miner_tweets: [wirePost('1000000094', at(`https://x.com/p_${word}/status/1000000091`))],
  });
  expect(await tablesWith(word), 'what another says stays with his post').toEqual(['posts']);
  expect(await rows(`SELECT urls FROM strandline.posts WHERE external_id = '1000000094'`)).toEqual([
    { urls: [] },
  ]);
  await rows(`UPDATE strandline.posts SET entities = '{}' WHERE external_id = '1000000094'`);
  await runAgain(
    'links-of-answers',
    links(`https://x.com/p_${word}/status/1000000091?s=20`, 'https://other.example/'),
  );
  expect(await tablesWith(word)).toEqual([]);
});
