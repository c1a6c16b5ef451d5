/** What a brief is written from: stored facts, each with the page that shows it. */
import { hash } from 'node:crypto';
import { DAY } from '../../lib/time.ts';
import { cleanLine, truncateText } from '../../lib/text.ts';
import { MAX_EVIDENCE } from '../../model/briefs.ts';
import { BRIEF_SOURCE_KINDS } from '../../model/closed-lists.ts';
import { findDigest } from '../../store/alerts/digests.ts';
import type { WaitingBrief } from '../../store/briefs/queue-briefs.ts';
import { readBiggestStories, readStorySearches } from '../../store/queries/stories.ts';
import { readPostsOfSpike, readSpike } from '../../store/queries/trend-reports.ts';
import type { Context } from '../context.ts';
import {
  describeCopies,
  describeSpikeEvidence,
  type Evidence,
  listDigestEvidence,
  type StoryEvidence,
} from '../digests/digest-evidence.ts';
import { Digest } from '../digests/digest-shapes.ts';
import { readDigest } from '../digests/read-digest.ts';

/** UTF-16 code units of a post. */
const MAX_POST = 400;
const MAX_STORIES = 10;
/** A topic's brief is about the time before it is written: readers come back every day. */
const TOPIC_SPAN_MS = DAY;

/**
 * Reads the evidence for a brief. For a digest, that is what the digest says; for a topic, what a digest of its last day would say, and
 * its biggest stories; for a spike, its posts, each text once.
 */
export async function readEvidence(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'kind' | 'isFree' | 'translator'>,
  { kind, digest_id, spike_id, topic_id, topic }: WaitingBrief,
): Promise<Evidence[]> {
  if (kind === 'digest') {
    const stored = digest_id === null ? null : await findDigest(ctx.db.pool, digest_id);
    return stored === null ? [] : listDigestEvidence(Digest.parse(stored.value));
  }
  if (kind === 'spike') return spike_id === null ? [] : readSpikeEvidence(ctx, spike_id);
  if (topic === null) return [];
  const until = ctx.clock.now();
  const from = new Date(until.getTime() - TOPIC_SPAN_MS);
  const digest = await readDigest(ctx, { topic, from, until, tz: 'UTC' });
  return listDigestEvidence(digest, await readStoryEvidence(ctx, topic_id, { from, until }));
}

/** The biggest, without those that the goal of the topic does not ask for. */
async function readStoryEvidence(
  { db }: Pick<Context, 'db'>,
  topicId: bigint | null,
  { from, until }: { from: Date; until: Date },
): Promise<StoryEvidence[]> {
  if (topicId === null) return [];
  const rows = await readBiggestStories(db, { topicId, since: from, until, limit: MAX_STORIES });
  const searches = await readStorySearches(
    db,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const { id, text, first_kind, first_item_id, first_published_at, things, authors, relevant } = row;
    const search = searches.get(id);
    const kind = BRIEF_SOURCE_KINDS.find((known) => known === first_kind);
    const said = truncateText(cleanLine(text ?? ''), MAX_POST);
    if (search === undefined || kind === undefined || said === '' || relevant === false) return [];
    return [
      {
        kind,
        id: String(first_item_id),
        text: `${said}${describeCopies(things, authors)}`,
        day: first_published_at.toISOString().slice(0, 10),
        page: `/stories/${id}`,
        search,
        story_id: String(id),
      },
    ];
  });
}

async function readSpikeEvidence({ db }: Pick<Context, 'db'>, id: bigint): Promise<Evidence[]> {
  const spike = await readSpike(db, id);
  if (spike === undefined) return [];
  const { search } = spike;
  const seen = new Set<string>();
  const posts = (await readPostsOfSpike(db, id)).flatMap((post): Evidence[] => {
    const text = truncateText(cleanLine(post.text), MAX_POST);
    if (text === '' || seen.has(text)) return [];
    seen.add(text);
    const day = (post.created_at ?? post.first_seen_at).toISOString().slice(0, 10);
    return [{ kind: 'post', id: String(post.id), text, day, page: `/posts/${post.id}`, search }];
  });
  if (posts.length === 0) return [];
  const day = spike.window_start.toISOString().slice(0, 10);
  const measured = describeSpikeEvidence({ ...spike, id: String(id), day });
  // Over the whole window: the first posts alone may be of another subject.
  const step = Math.max(1, posts.length / (MAX_EVIDENCE - 1));
  const chosen = posts.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  return [measured, ...chosen.slice(0, MAX_EVIDENCE - 1)];
}

/** Changes when something else is said, and not with a counter. */
export function hashEvidence(evidence: readonly Evidence[]): string {
  const keys = evidence.map(({ kind, id }) => `${kind} ${id}`).toSorted();
  return hash('sha256', keys.join('\n'), 'hex').slice(0, 16);
}
