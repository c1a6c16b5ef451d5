/**
 * Writes the briefs of digests, spikes and topics with the language model. Every worker does, one brief at a time, outside of runs,
 * of the follower and of recurring work: a page never waits for it, and a digest for two minutes at most.
 */
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { type BriefSentence, type BriefWriter, MIN_EVIDENCE } from '../../model/briefs.ts';
import type { Brief } from '../../model/value-shapes.ts';
import { inTransaction, readTime } from '../../store/db/database.ts';
import {
  MAX_BRIEF_WAIT_MS,
  planBriefs,
  postponeBrief,
  releaseDigest,
  storeBrief,
  takeBrief,
  type WaitingBrief,
} from '../../store/briefs/queue-briefs.ts';
import { lockAgainstErasing } from '../../store/erase/save-lock.ts';
import { enqueueChannels } from '../alerts/enqueue-channels.ts';
import type { Context } from '../context.ts';
import type { Evidence } from '../digests/digest-evidence.ts';
import { repeatPass } from '../repeat-pass.ts';
import { hashEvidence, readEvidence } from './brief-evidence.ts';

const INTERVAL_MS = 5 * SECOND;
/** Briefs of a pass; the next pass continues. */
const MAX_BRIEFS = 10;
/** How often a topic's brief is written again, if there is other news; and how often there is a look whether there is enough. */
const TOPIC_EVERY_MS = 6 * HOUR;
const TOPIC_LOOK_MS = HOUR;
/** After a response that could not be had. A spike is tried for six hours. */
const RETRY_MS = 20 * MINUTE;
const MAX_SPIKE_WAIT_MS = 6 * HOUR;

type BriefContext = Pick<
  Context,
  'db' | 'clock' | 'log' | 'config' | 'kind' | 'isFree' | 'briefWriter' | 'translator' | 'queue'
>;

/**
 * Plans and writes briefs, up to {@link MAX_BRIEFS}. Ends when the model is unavailable.
 * @returns the number of briefs that were written
 */
export async function writeBriefs(ctx: BriefContext, signal: AbortSignal): Promise<number> {
  const { briefWriter: writer, db, clock } = ctx;
  if (writer === null) return 0;
  await planBriefs(db, await readTime(db.pool, clock));
  let written = 0;
  for (let n = 0; n < MAX_BRIEFS && !signal.aborted; n += 1) {
    const waiting = await takeBrief(db, await readTime(db.pool, clock));
    if (waiting === undefined) break;
    const outcome = await writeOne(ctx, writer, waiting, signal);
    if (outcome === 'written') written += 1;
    if (outcome === 'unavailable') break;
  }
  return written;
}

async function writeOne(
  ctx: BriefContext,
  writer: BriefWriter,
  waiting: WaitingBrief,
  signal: AbortSignal,
): Promise<'written' | 'nothing' | 'unavailable'> {
  const { log } = ctx;
  const { kind, id } = waiting;
  const begun = await readTime(ctx.db.pool, ctx.clock);
  if (isTooLate(waiting, begun)) {
    await settle(ctx, waiting, null);
    return 'nothing';
  }
  const evidence = await readEvidence(ctx, waiting);
  const read = hashEvidence(evidence);
  const isEnough = evidence.length >= MIN_EVIDENCE;
  if (isEnough && read === waiting.evidence) {
    await settle(ctx, waiting, TOPIC_EVERY_MS);
    return 'nothing';
  }
  const reply = isEnough
    ? await writer.write({ about: waiting.topic_name ?? '', at: begun, items: evidence }, signal)
    : ({ outcome: 'written', sentences: [] } as const);
  const about = { brief: String(id), kind };
  if (reply.outcome === 'unavailable') {
    log.warn({ ...about, reason: reply.reason }, 'brief not written');
    await settle(ctx, waiting, RETRY_MS);
    return 'unavailable';
  }
  const sentences = reply.outcome === 'written' ? reply.sentences : [];
  if (reply.outcome === 'unusable') log.warn({ ...about, reason: reply.reason }, 'brief not written');
  const now = await readTime(ctx.db.pool, ctx.clock);
  if (isTooLate(waiting, now)) {
    await settle(ctx, waiting, null);
    return 'nothing';
  }
  const { content, cited } = compose(sentences, evidence, { model: writer.model, now });
  const nextAt =
    kind === 'topic' ? new Date(now.getTime() + (isEnough ? TOPIC_EVERY_MS : TOPIC_LOOK_MS)) : null;
  const channels = await inTransaction(ctx.db, async (tx) => {
    await lockAgainstErasing(tx);
    await storeBrief(tx, id, { content, cited, evidence: read, now, nextAt });
    return kind === 'digest' ? releaseDigest(tx, waiting, now) : [];
  });
  if (channels.length > 0) await enqueueChannels(ctx, channels);
  return content === null ? 'nothing' : 'written';
}

/** Whether the messages of a digest were sent, or may be at any moment. */
function isTooLate({ kind, created_at }: WaitingBrief, now: Date): boolean {
  return kind === 'digest' && now.getTime() >= created_at.getTime() + MAX_BRIEF_WAIT_MS;
}

/** Leaves what was written. @param afterMs when it is tried again, if it may be: of a digest never; null: never */
async function settle(ctx: BriefContext, waiting: WaitingBrief, afterMs: number | null): Promise<void> {
  const { kind, id, created_at } = waiting;
  const now = await readTime(ctx.db.pool, ctx.clock);
  const isOver =
    kind === 'digest' ||
    (kind === 'spike' && now.getTime() - created_at.getTime() >= MAX_SPIKE_WAIT_MS) ||
    afterMs === null;
  await postponeBrief(ctx.db.pool, id, isOver ? null : new Date(now.getTime() + afterMs));
  if (kind !== 'digest') return;
  const channels = await releaseDigest(ctx.db.pool, waiting, now);
  if (channels.length > 0) await enqueueChannels(ctx, channels);
}

/** Numbers what is cited, in the order of the sentences. */
function compose(
  sentences: readonly BriefSentence[],
  evidence: readonly Evidence[],
  { model, now }: { model: string; now: Date },
): { content: Brief | null; cited: readonly Evidence[] } {
  const cited = [...new Set(sentences.flatMap(({ cites }) => cites))].flatMap(
    (place) => evidence[place] ?? [],
  );
  if (cited.length === 0) return { content: null, cited };
  const numberOf = (place: number) => cited.findIndex((item) => item === evidence[place]) + 1;
  const content: Brief = {
    sentences: sentences.map(({ text, cites }) => ({ text, sources: cites.map(numberOf) })),
    sources: cited.map(({ kind, id, page }, i) => ({ n: i + 1, kind, id, page })),
    model,
    written_at: now.toISOString(),
  };
  return { content, cited };
}

/**
 * Starts to write briefs in a worker. Without a language model it does nothing.
 * @returns stops it; a request in progress is aborted, and sent again by another worker
 */
export function startBriefs(ctx: BriefContext, intervalMs = INTERVAL_MS): () => Promise<void> {
  if (ctx.briefWriter === null) return async () => {};
  const pass = async (signal: AbortSignal) => {
    await writeBriefs(ctx, signal);
  };
  return repeatPass(ctx, 'writing briefs', pass, intervalMs);
}
