/**
 * Evidence of a post, a link, a completion or a spike: what was found, when, by which search, and the raw responses that say so, with
 * their hashes. Nothing is computed for it: every member is a stored fact.
 */
import { awaitMembers } from '../../lib/await-members.ts';
import { VERSION } from '../../config/version.ts';
import type { EvidenceKind } from '../../model/closed-lists.ts';
import type { Id } from '../../store/db/database.ts';
import { readRunCompletion } from '../../store/queries/completions.ts';
import { readEvidenceResponses } from '../../store/queries/evidence.ts';
import { readLink, readLinkAddresses, readLinkSources } from '../../store/queries/links.ts';
import {
  readCounterChanges,
  readPost,
  readPostSightings,
  readPostVersions,
} from '../../store/queries/post-detail.ts';
import { readPostsOfSpike, readSpike, type SpikePost } from '../../store/queries/trend-reports.ts';
import type { Context } from '../context.ts';
import { findById } from '../http/find-by-id.ts';

/** Of all responses in one file together, in bytes as received. */
const MAX_BODIES = 2 ** 20;
/** Runs whose responses are named: the first sightings, and those that changed something. */
const MAX_RUNS = 20;

/** The parts of a kind: the thing itself, what is known of it over time, and the runs whose responses contain it. */
type Parts = {
  subject: object;
  page: string;
  versions?: readonly { run_id: Id | null }[];
  addresses?: readonly string[];
  counters?: readonly object[];
  sightings?: readonly { first_run_id: Id }[];
  posts?: readonly SpikePost[];
  runs: readonly (Id | null)[];
};

const READERS: Readonly<Record<EvidenceKind, (ctx: Context, id: Id) => Promise<Parts>>> = {
  post: async ({ db }, id) => {
    const subject = await findById('post', id, readPost(db, id));
    const parts = await awaitMembers({
      versions: readPostVersions(db, id),
      counters: readCounterChanges(db, id),
      sightings: readPostSightings(db, id),
    });
    const runs = [
      ...parts.sightings.map(({ first_run_id }) => first_run_id),
      ...parts.versions.map(({ run_id }) => run_id),
    ];
    return { subject, page: `/posts/${id}`, ...parts, runs };
  },
  link: async ({ db }, id) => {
    const subject = await findById('link', id, readLink(db, id));
    const parts = await awaitMembers({
      addresses: readLinkAddresses(db, id),
      sightings: readLinkSources(db, id),
    });
    return {
      subject,
      page: `/links/${id}`,
      ...parts,
      runs: parts.sightings.map(({ first_run_id }) => first_run_id),
    };
  },
  completion: async ({ db }, id) => {
    const subject = await findById('completion of run', id, readRunCompletion(db, id));
    return { subject, page: `/runs/${id}#completion`, runs: [id] };
  },
  spike: async ({ db }, id) => {
    const subject = await findById('spike', id, readSpike(db, id));
    const posts = await readPostsOfSpike(db, id);
    const first = posts[0]?.first_run_id ?? null;
    return {
      subject,
      page: `/searches/${subject.search}`,
      posts,
      runs: [first, subject.run_id],
    };
  },
};

/** @throws Refused `not_found` if there is no such thing */
export async function readEvidence(ctx: Context, { kind, id }: { kind: EvidenceKind; id: Id }) {
  const { runs, subject, page, ...parts } = await READERS[kind](ctx, id);
  const named = [...new Set(runs.flatMap((run) => run ?? []))].slice(0, MAX_RUNS);
  return {
    kind,
    id,
    page,
    made_at: ctx.clock.now(),
    made_by: `strandline ${VERSION}`,
    is_sample: ctx.kind === 'sandbox',
    subject,
    versions: parts.versions ?? [],
    addresses: parts.addresses ?? [],
    counters: parts.counters ?? [],
    sightings: parts.sightings ?? [],
    posts: parts.posts ?? [],
    responses: await readEvidenceResponses(ctx.db, named, { bytes: MAX_BODIES }),
  };
}
export type Evidence = Awaited<ReturnType<typeof readEvidence>>;
