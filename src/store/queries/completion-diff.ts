/** Changes between two completions of a search, and which links caused them. */
import {
  type CompletionChange,
  compareStatements,
  findNews,
  type FoldedStatement,
} from '../../model/statements/completion-change.ts';
import type { Source } from '../../model/enumerations.ts';
import { Refused } from '../../model/errors.ts';
import { type Id, type Pooled, type Reads, onlyRow } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import { readClaims, type SaidClaim } from './completions.ts';

type Moment = { completion_id: Id; run_id: Id; observed_at: Date; claims: number };
/** With all links that the completion cites. */
type CitingMoment = Moment & { links: Id[] };

export type CitedLink = {
  link_id: Id;
  url: string;
  title: string | null;
  /** Source group in which the search first saw it; null if it never returned it. */
  source: Source | null;
  /** By this search; by any search if this search never returned it. */
  first_seen_at: Date;
  /** Whether it is also a result of the response that cites it. */
  returned: boolean;
};

/** A statement with what its copies cite; `roles`: all sections that contain it, in order. */
export type DiffedClaim = Pick<SaidClaim, 'claim_id' | 'role' | 'text' | 'unresolved'> & {
  roles: SaidClaim['role'][];
  cited: CitedLink[];
};

export type CompletionDiff = {
  search: string;
  from: Moment;
  to: Moment;
  /** There was no completion before the requested time: `from` is the first completion. */
  from_first: boolean;
  /** Runs between the two, and after `to`, without claims: failed, skipped or empty. */
  gaps: { between: number; after: number };
  /** Whether a statement is new or revised, and the share of the statements of both that are in both, from 0 to 1. */
  changed: boolean;
  similarity: number;
  /** `brought_by`: cited links that the search first saw after `from`. */
  new_claims: (DiffedClaim & { brought_by: CitedLink[] })[];
  /** Claims of which only figures changed, such as `25` to `28`; `text` is the present one. */
  revised_claims: (DiffedClaim & {
    before: string;
    figures: { from: string; to: string }[];
    brought_by: CitedLink[];
  })[];
  gone_claims: DiffedClaim[];
  /** Claims with different links: all that are `cited` now, and which were added or removed. */
  changed_claims: (DiffedClaim & { cited_new: CitedLink[]; cited_gone: CitedLink[] })[];
  kept: number;
  /** Links that only one of the two completions cites. */
  citations: { added: number; removed: number };
};

/** `2 new, 1 revised, 1 removed, 8 unchanged (3 with other sources)`: statements without copies, as counted with each completion. */
export function describeStatements({
  new_claims,
  revised_claims,
  gone_claims,
  changed_claims,
  kept,
}: Record<'new_claims' | 'revised_claims' | 'gone_claims' | 'changed_claims', readonly unknown[]> &
  Pick<CompletionDiff, 'kept'>): string {
  const changed = changed_claims.length;
  const revised = revised_claims.length === 0 ? '' : `, ${revised_claims.length} revised`;
  const unchanged = `${kept + changed} unchanged${changed === 0 ? '' : ` (${changed} with other sources)`}`;
  return `${new_claims.length} new${revised}, ${gone_claims.length} removed, ${unchanged}`;
}

/**
 * The completions to compare: the last completion at a time, or the completions of two runs. Default: the newest two.
 */
export type DiffRange = { since?: Date | undefined; from?: Id | undefined; to?: Id | undefined };

export type NoDiff = 'no_to' | 'no_from';

/** Explains why there is nothing to compare. */
export function refuseDiff(what: NoDiff, search: string, { from, to }: DiffRange): Refused {
  const run = what === 'no_to' ? to : from;
  if (run !== undefined)
    return new Refused(
      'not_found',
      `run ${run} is no run of "${search}" ${what === 'no_to' ? '' : 'before the other '}whose completion has claims`,
    );
  return new Refused(
    'not_found',
    what === 'no_to'
      ? `the search "${search}" has no completion with parsed statements; only succeeded runs of AI searches have one`
      : `the search "${search}" has only one completion with parsed statements; nothing to compare it with`,
  );
}

/** Compares two completions of a search, among those with parsed claims. @returns which of the two is missing, if one is */
export async function readCompletionDiff(
  db: Reads,
  search: { id: Id; slug: string },
  range: DiffRange,
): Promise<CompletionDiff | NoDiff> {
  const { to, from, first } = await readMoments(db, search.id, range);
  if (to === undefined) return 'no_to';
  const base = from ?? first;
  if (base === undefined) return 'no_from';
  const diff = await diffCompletions(db, search, base, to);
  return { ...diff, from_first: from === undefined };
}

async function diffCompletions(
  db: Reads,
  search: { id: Id; slug: string },
  { links: linksBefore, ...from }: CitingMoment,
  { links: linksAfter, ...to }: CitingMoment,
): Promise<Omit<CompletionDiff, 'from_first'>> {
  const [claims, gaps] = await Promise.all([
    readClaims(db, [from.completion_id, to.completion_id]),
    readGaps(db, search.id, from, to),
  ]);
  const links = await readCited(db, search.id, claims);
  const readStatements = (completion: Id) =>
    claims
      .filter(({ completion_id }) => completion_id === completion)
      .map((claim) => ({ ...claim, isCited: claim.cited_links.length + claim.unresolved.length > 0 }));
  const [before, after] = [readStatements(from.completion_id), readStatements(to.completion_id)];
  return {
    search: search.slug,
    from,
    to,
    gaps,
    changed: findNews(after, [before]).length > 0,
    ...describeChange(compareStatements(before, after), links, from.observed_at),
    citations: {
      added: excludeIds(linksAfter, linksBefore).length,
      removed: excludeIds(linksBefore, linksAfter).length,
    },
  };
}

type Change = CompletionChange<SaidClaim & { isCited: boolean }>;
type Folded = FoldedStatement<SaidClaim>;

function describeChange(
  { added, revised, gone, kept, similarity }: Change,
  links: ReadonlyMap<Id, Omit<CitedLink, 'returned'>>,
  since: Date,
) {
  const cited = (claim: Folded, only: readonly Id[] = listCited(claim)) => {
    const notReturned = new Set(listClaims(claim).flatMap(({ not_returned }) => not_returned));
    return only.flatMap((id) => {
      const link = links.get(id);
      return link === undefined ? [] : [{ ...link, returned: !notReturned.has(id) }];
    });
  };
  const describe = (claim: Folded): DiffedClaim => {
    const { claim_id, role, text } = claim.statement;
    return {
      claim_id,
      role,
      roles: [...new Set(listClaims(claim).map((copy) => copy.role))],
      text,
      unresolved: [...new Set(listClaims(claim).flatMap(({ unresolved }) => unresolved))],
      cited: cited(claim),
    };
  };
  const sourced = kept.map(({ before, after }) => ({
    after,
    before,
    added: excludeIds(listCited(after), listCited(before)),
    removed: excludeIds(listCited(before), listCited(after)),
  }));
  const changed = sourced.filter((pair) => pair.added.length + pair.removed.length > 0);
  const isNewLink = (link: CitedLink) => link.first_seen_at > since;
  const describeNew = (claim: Folded) => {
    const described = describe(claim);
    return { ...described, brought_by: described.cited.filter(isNewLink) };
  };
  return {
    similarity,
    new_claims: added.map(describeNew),
    revised_claims: revised.map((pair) => ({
      ...describeNew(pair.after),
      before: pair.before.statement.text,
      figures: [...pair.figures],
    })),
    gone_claims: gone.map(describe),
    changed_claims: changed.map((pair) => ({
      ...describe(pair.after),
      cited_new: cited(pair.after, pair.added),
      cited_gone: cited(pair.before, pair.removed),
    })),
    kept: kept.length - changed.length,
  };
}

function listClaims(claim: Folded): readonly SaidClaim[] {
  return [claim.statement, ...claim.copies];
}

function listCited(claim: Folded): Id[] {
  return [...new Set(listClaims(claim).flatMap(({ cited_links }) => cited_links))];
}

async function readMoments(
  { pool }: Pooled,
  searchId: Id,
  { from, to, since }: DiffRange,
): Promise<{ to?: CitingMoment; from?: CitingMoment; first?: CitingMoment }> {
  const [newestRun, lastAt] = [to ?? null, since ?? null];
  const earlierRun = since === undefined ? (from ?? null) : null;
  // The newest completion, or that of a run; the completion before it, or that of another run, or the last at a time;
  // and the first after that time.
  const { rows } = await execute<CitingMoment & { moment: 'to' | 'from' | 'first' }>(
    pool,
    statement`WITH known AS NOT MATERIALIZED (
        SELECT id AS completion_id, run_id, observed_at, claims, completion_links AS links FROM strandline.completions
        WHERE search_id = ${searchId} AND claims IS NOT NULL
      ), found AS MATERIALIZED (
        SELECT * FROM known WHERE ${newestRun}::bigint IS NULL OR run_id = ${newestRun}
        ORDER BY observed_at DESC, run_id DESC LIMIT 1
      ), earlier AS MATERIALIZED (
        SELECT k.* FROM found f JOIN known k ON (k.observed_at, k.run_id) < (f.observed_at, f.run_id)
        WHERE (${earlierRun}::bigint IS NULL OR k.run_id = ${earlierRun})
          AND (${lastAt}::timestamptz IS NULL OR k.observed_at <= ${lastAt})
        ORDER BY k.observed_at DESC, k.run_id DESC LIMIT 1
      ), later AS MATERIALIZED (
        SELECT k.* FROM found f JOIN known k ON (k.observed_at, k.run_id) < (f.observed_at, f.run_id)
        WHERE k.observed_at > ${lastAt}
        ORDER BY k.observed_at, k.run_id LIMIT 1
      )
      SELECT 'to' AS moment, * FROM found UNION ALL SELECT 'from', * FROM earlier UNION ALL SELECT 'first', * FROM later`,
    'completion_moments',
  );
  return Object.fromEntries(rows.map(({ moment, ...completion }) => [moment, completion]));
}

async function readCited(
  { pool }: Pooled,
  searchId: Id,
  claims: readonly SaidClaim[],
): Promise<Map<Id, Omit<CitedLink, 'returned'>>> {
  const ids = [...new Set(claims.flatMap(({ cited_links }) => cited_links))];
  const completions = [...new Set(claims.map(({ completion_id }) => completion_id))];
  // Links, and when the search first saw each, as a link or as the URL of a post.
  const { rows } = await execute<Omit<CitedLink, 'returned'>>(
    pool,
    statement`SELECT l.id AS link_id, l.url, l.title,
        CASE WHEN g.link_id IS NOT NULL THEN g.source WHEN p.first_seen_at IS NOT NULL THEN 'microblog' END AS source,
        coalesce(g.first_seen_at, p.first_seen_at, l.first_seen_at) AS first_seen_at
      FROM strandline.links l
      LEFT JOIN strandline.link_sightings g ON g.search_id = ${searchId} AND g.link_id = l.id
      LEFT JOIN LATERAL (
        SELECT min(s.first_seen_at) AS first_seen_at
        FROM strandline.completions c
        JOIN strandline.run_results r ON r.run_id = c.run_id
        CROSS JOIN LATERAL unnest(r.post_ids) AS u(id)
        JOIN strandline.posts p ON p.id = u.id
        JOIN strandline.post_sightings s ON s.search_id = ${searchId} AND s.post_id = p.id
        WHERE g.link_id IS NULL AND c.id = ANY (${completions}::bigint[])
          AND p.url IN (SELECT address FROM strandline.link_addresses WHERE link_id = l.id)
      ) p ON true
      WHERE l.id = ANY (${ids}::bigint[])`,
    'cited_links',
  );
  return new Map(rows.map((row) => [row.link_id, row]));
}

async function readGaps(
  { pool }: Pooled,
  searchId: Id,
  from: Moment,
  to: Moment,
): Promise<CompletionDiff['gaps']> {
  // Runs that ended without a completion with parsed claims: failed, skipped, cancelled or empty. By due time,
  // because a missed slot gets its row later. A run cannot end before it is due, except for clock skew, so the index
  // on end times excludes older ones.
  const { rows } = await execute<CompletionDiff['gaps']>(
    pool,
    statement`SELECT count(*) FILTER (WHERE due <= ${to.observed_at})::int AS between, count(*) FILTER (WHERE due > ${to.observed_at})::int AS after
      FROM strandline.runs r CROSS JOIN LATERAL (SELECT coalesce(r.slot_at, r.created_at) AS due) d
      WHERE r.search_id = ${searchId} AND due > ${from.observed_at} AND r.ended_at > ${from.observed_at}::timestamptz - interval '1 hour'
        AND NOT EXISTS (SELECT FROM strandline.completions c WHERE c.run_id = r.id AND c.claims IS NOT NULL)`,
    'completion_gaps',
  );
  return onlyRow(rows);
}

function excludeIds(ids: readonly Id[], others: readonly Id[]): Id[] {
  return ids.filter((id) => !others.includes(id));
}
