/**
 * A day of three topics in which every count that could be made in two ways differs: searches that find the same posts, in one topic and in two; posts
 * without a time, with a later one, and at the edge of a window; a response that was cut, one that was read after later ones; a search that was
 * removed, one that was purged, one that was moved; an author who was forgotten; two authors of one name; hosts below others; runs that were written out of
 * order; two services in one topic.
 */
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../../src/monitor/alerts/manage-rules.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { parseLateResponses } from '../../../src/monitor/runs/late-and-replay.ts';
import { requestPurge } from '../../../src/monitor/topics/purge-topic.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { changeSearch } from '../../../src/monitor/topics/search-state.ts';
import { findAuthor, forgetAuthor } from '../../../src/store/erase/forget-author.ts';
import { continuePurges } from '../../../src/store/erase/purge.ts';
import { ensureService } from '../../../src/store/services/services.ts';
import { storeResponse } from '../../../src/store/runs/responses.ts';
import { json, wirePost } from '../../stub-service.ts';
import type { StubbedWorld } from '../../stubbed-world.ts';
import { START } from '../../world.ts';

export const at = (minutes: number) => new Date(Date.parse(START) + minutes * MINUTE);
/** When the pages are read: the last 24 hours begin at 15:00, three hours after the first run. */
export const NOW_MINUTES = 26 * 60 + 5;
const EDGE_MINUTES = 180;
const SLOT_MINUTES = 180;

type Wire = Record<string, unknown>;

/** The k-th post of a subject, one every twenty minutes. */
function post(subject: number, k: number): Wire {
  return wirePost(`${subject}${String(k).padStart(4, '0')}`, {
    created_at: at(k * 20).toISOString(),
    text: `${['ferry', 'bus', 'tram'][k % 3]} ${k}`,
    // Two people of one name: the one who posts each eighth time is another than the one of the others.
    user: { id: k % 8 === 7 ? '78' : `7${k % 4}`, username: `author_${k % 4}`, name: `Author ${k % 4}` },
    lang: ['en', 'de', 'EN', 'pt-BR'][k % 4],
    entities: {
      hashtags: [{ text: ['Harbour', 'harbour', 'Fähre'][k % 3] }],
      urls: [
        { expanded_url: `https://${['www', 'live', 'www.live'][k % 3]}.site-${k % 2}.example/${k % 5}` },
      ],
    },
  });
}

const shared = {
  undated: wirePost('5001', { created_at: null, text: 'ferry without a time' }),
  later: wirePost('5002', { created_at: at(5_000).toISOString(), text: 'ferry with a later time' }),
  soon: wirePost('5003', {
    created_at: at(4 * SLOT_MINUTES + 30).toISOString(),
    text: 'ferry half an hour ahead',
  }),
  edge: wirePost('5004', { created_at: at(EDGE_MINUTES).toISOString(), text: 'ferry at the edge' }),
  before: wirePost('5005', {
    created_at: new Date(at(EDGE_MINUTES).getTime() - 1).toISOString(),
    text: 'ferry before the edge',
  }),
};

const MICROBLOG = ['ferry-1', 'ferry-2', 'ferry-old', 'ferry-gone', 'bus-1', 'tram-1'] as const;
type Slug = (typeof MICROBLOG)[number] | 'ferry-ai';

/** What a search finds at a slot: the last four hours of its part, and what is particular. */
function findAt(slug: Slug, slot: number): Wire[] {
  const now = slot * SLOT_MINUTES;
  const isOwn = (k: number) =>
    ({
      'ferry-1': k % 2 === 0,
      'ferry-2': k % 3 !== 1,
      'ferry-old': k % 5 === 0,
      'ferry-gone': k % 4 !== 3,
      'bus-1': k % 7 !== 0,
      'tram-1': k % 6 !== 5,
      'ferry-ai': k % 9 === 0,
    })[slug];
  const cut = Array.from({ length: 40 }, (_, i) => ({
    ...post(2, 7_000 + i),
    created_at: new Date(at(now).getTime() - i * 20 * SECOND).toISOString(),
  }));
  if (slug === 'ferry-1' && slot === 6) return cut;
  const usual: Wire[] = [];
  for (let k = Math.max(0, Math.ceil((now - 240) / 20)); k * 20 <= now; k += 1)
    if (isOwn(k)) usual.push(post(1, k));
  const particular: Partial<Record<`${Slug} ${number}`, Wire[]>> = {
    'ferry-1 4': [shared.undated, shared.soon],
    'ferry-2 2': [shared.later, shared.edge, shared.before],
    'ferry-2 7': [shared.undated, shared.soon, ...cut.slice(0, 9)],
    'ferry-1 7': [shared.later],
    'bus-1 3': [shared.edge, shared.undated],
  };
  return [...(particular[`${slug} ${slot}`] ?? []), ...usual];
}

const aiAnswer = (slot: number) => ({
  search: [1, 2, slot].map((n) => ({
    title: `ferry page ${n}`,
    link: `https://${n === slot ? 'live' : 'www'}.site-${n % 2}.example/page/${n}`,
    snippet: 'ferry',
  })),
  tweets: findAt('ferry-ai', slot),
  completion: `Ferries run [1](https://www.site-1.example/page/1). ${slot % 2 === 0 ? 'Trams too [2](https://www.site-0.example/page/2).' : ''}`,
});

export async function liveADay({ world, stub, rows }: StubbedWorld): Promise<void> {
  const { ctx, clock, db } = world;
  clock.set(at(0));
  const search = (slug: Slug) =>
    ({ slug, operation: slug === 'ferry-ai' ? 'ai' : 'microblog', prompt: slug, every: '3h' }) as const;
  await createTopic(ctx, {
    name: 'Ferries',
    searches: ['ferry-1', 'ferry-2', 'ferry-old', 'ferry-gone', 'ferry-ai'].map((slug) =>
      search(slug as Slug),
    ), // as listed
  });
  await createTopic(ctx, { name: 'Buses', searches: [search('bus-1')] });
  await createTopic(ctx, { name: 'Trams', searches: [search('tram-1')] });
  await createChannel(ctx, { slug: 'ops', webhook: 'https://hooks.example/ops' });
  await createRule(ctx, {
    slug: 'all-ferries',
    name: 'All ferries',
    topic: 'ferries',
    channels: ['ops'],
    on: ['post', 'link'],
  });
  const runAt = async (slug: Slug, slot: number) => {
    clock.set(at(slot * SLOT_MINUTES));
    stub.answers(json(slug === 'ferry-ai' ? aiAnswer(slot) : { miner_tweets: findAt(slug, slot) }));
    await executeRun(ctx, (await insertManualRun(ctx, slug)).runId);
  };
  await db.pool.query('DELETE FROM strandline.runs');
  const late: { runId: bigint; slot: number }[] = [];
  for (let slot = 0; slot <= 8; slot += 1) {
    clock.set(at(slot * SLOT_MINUTES));
    if (slot === 4) await changeSearch(ctx, 'ferry-old', 'remove');
    for (const slug of [...MICROBLOG, 'ferry-ai'] as const) {
      if (slug === 'ferry-old' && slot >= 4) continue;
      if (slug === 'ferry-2' && slot === 3) {
        // Without a call it fails; its response arrives at the end.
        const { runId } = await insertManualRun(ctx, slug);
        await executeRun({ ...ctx, config: { ...ctx.config, maxCallsPerRun: 0 } }, runId);
        late.push({ runId, slot });
      } else await runAt(slug, slot);
    }
    if (slot % 2 === 0) await world.derive();
  }
  for (const { runId, slot } of late) {
    await rows(
      `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
       SELECT r.id, 1, s.service_id, r.fence, 'unknown', $2 FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id WHERE r.id = $1`,
      [runId, at(slot * SLOT_MINUTES)],
    );
    const response = {
      n: 1,
      httpStatus: 200,
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify({ miner_tweets: findAt('ferry-2', slot) })),
      receivedAt: at(slot * SLOT_MINUTES + 1),
    };
    await storeResponse(db, { runId, response, latencyMs: 1, costUsd: null });
    await parseLateResponses(ctx, runId);
  }
  await world.derive();
  // Slots that were skipped for two reasons, and a run of days ago that was written last, as a simulation does.
  await rows(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, reason, slot_at, created_at, ended_at)
     SELECT s.id, s.version, 1, 'schedule', 'skipped', made.reason, made.created_at, made.created_at, made.created_at
     FROM strandline.searches s, (VALUES ('overlap', $1::timestamptz), ('overlap', $2), ('capped', $3), ('capped', $4)) made (reason, created_at)
     WHERE s.slug = 'bus-1'`,
    [NOW_MINUTES - 3, NOW_MINUTES - 2, NOW_MINUTES - 1, -4 * 24 * 60].map(at),
  );
  // What a search of another service found is in the lists of its topic, too.
  const now = at(NOW_MINUTES);
  const own = await ensureService(db, { name: 'own', kind: 'own', address: null, dialect: 'named', now });
  await rows(`UPDATE strandline.searches SET service_id = $1 WHERE slug = 'ferry-2'`, [own.id]);
  await changeSearch(ctx, 'ferry-gone', 'remove');
  await requestPurge(ctx, { kind: 'search', slug: 'ferry-gone' });
  if (!(await continuePurges(db, () => true))) throw new Error('not purged');
  const author = await findAuthor(db, 'hosted', '@author_1');
  if (author === undefined) throw new Error('no author');
  await forgetAuthor(ctx, author);
  clock.set(new Date(at(NOW_MINUTES).getTime() - HOUR / 2));
  await world.derive();
}
