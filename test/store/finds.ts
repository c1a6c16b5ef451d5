/** What a run of a search found, as tests of stories save it. */
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { wirePost } from '../stub-service.ts';
import type { World } from '../world.ts';

/** A text of its own. */
export const other = (n: number) =>
  `Sentence ${n} says that the ferry of number ${n} is late by ${n} hours today`;

export type Post = { id: number | string; author?: string; text?: string; urls?: string[] };
export type Link = { link: string; title?: string };

/** Saves a run of the search that returned this body now, in the names of the wire. */
export async function saveBody(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  search: Search,
  body: object,
): Promise<void> {
  const now = clock.now();
  const runId = await insertRun(db.pool, { searchId: search.id, trigger: 'manual', now });
  const leased = await leaseRun(db, { runId, worker: 'test', leaseMs: 30_000, now });
  if (leased === null) throw new Error('not leased');
  const diff = await saveFindings(db, {
    runId,
    fence: leased.fence,
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: search.operation,
      body: JSON.stringify(body),
      contentType: 'application/json',
      dialect: loadDialect('named'),
    }),
    observedAt: now,
    endedAt: now,
  });
  if (diff === null) throw new Error('not saved');
}

/** Saves a run of the search that found these. @param options.by the search whose ids and addresses posts have */
export async function saveFound(
  world: World,
  search: Search,
  posts: readonly Post[],
  links: readonly Link[] = [],
  { by = search }: { by?: Search } = {},
): Promise<void> {
  const body =
    search.operation === 'ai'
      ? { hacker_news_search_results: { organic_results: links } }
      : {
          miner_tweets: posts.map(({ id, author = `a${id}`, text = other(Number(id)), urls = [] }) =>
            wirePost(`${by.slug}-${id}`, {
              url: `https://x.com/someone/status/${by.id}${id}`,
              text,
              entities: {
                hashtags: [],
                user_mentions: [],
                urls: urls.map((url) => ({ url, expanded_url: url })),
              },
              user: { id: author, username: author, name: 'n', followers_count: 1 },
            }),
          ),
        };
  await saveBody(world, search, body);
}
