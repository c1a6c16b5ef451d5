import type { Findings, LinkRef, ReadLink } from '../../monitor/read/findings.ts';
import {
  answersTo,
  type Database,
  type Id,
  inTransaction,
  KEEP_PLANS,
  type Last,
  type Transaction,
} from '../database.ts';
import { leaveOutForgotten } from '../forget/leave-out.ts';
import { ensurePartitions } from '../partitions.ts';
import { logReading } from '../derive/pending.ts';
import { saveClaims } from './claims.ts';
import { clearReading, type Outcome, readLate, winAgain, winRun } from './outcome.ts';
import {
  APPEND_DISCOVERIES,
  INSERT_COMPLETION,
  LOCK_FEED,
  LOWER_FIRST_SEEN,
  SAVE_AUTHORS_AND_LINKS,
  SAVE_POSTS_AND_ADDRESSES,
  SIGHT,
} from './statements.ts';

/** Findings of a response of a run. */
type Saved = {
  runId: Id;
  searchId: Id;
  serviceId: Id;
  findings: Findings;
  /** When the response was received: the time of everything it says. */
  observedAt: Date;
};

/** Whose findings are saved, and with which right: only the holder of the highest fence may. */
export type SaveInput = Saved & {
  fence: number;
  /** Number of the response, which is read by this; left out where it is not stored. */
  response?: number;
  /** When the run ends; null: now, by the database's clock. */
  endedAt: Date | null;
};

/** A response that was read before and is read again. */
export type AgainInput = Saved & {
  response?: number;
  /** The time of what is found more. */
  endedAt: Date;
};

/** A response that was unread when its run had ended. */
export type LateInput = Saved & {
  response: number;
  /** The time of the statements; null: the database's clock. */
  now: Date | null;
};

/** What this run saw for the first time, and how much it saw at all. */
export type Diff = {
  baseline: boolean;
  newPosts: readonly Id[];
  newLinks: readonly Id[];
  completionChanged: boolean;
};

/**
 * Saves what an answer held, in one transaction whose first statement is success itself. Either
 * everything is there afterwards (posts, links, the diff, the run's success) or nothing is.
 * @returns the diff; `null` when another claim holds the run and nothing was saved
 */
export async function saveFindings(db: Database, input: SaveInput): Promise<Diff | null> {
  await ensurePartitions(db, input.observedAt);
  return inTransaction(db, async (tx, last) => {
    const won = await winRun(tx, input);
    return won === null ? null : saveInside(tx, input, won, last);
  });
}

/**
 * Saves a kept answer that was read again. Nothing that was found before is lost or becomes new;
 * what the newer reader found more belongs to the run's own time.
 * @param record adds to the same transaction who had it read again
 * @returns `null` when the run is neither succeeded nor failed
 */
export async function saveAgain(
  db: Database,
  input: AgainInput,
  record: (tx: Transaction) => Promise<void>,
): Promise<Diff | null> {
  await ensurePartitions(db, input.observedAt);
  return inTransaction(db, async (tx, last) => {
    const won = await winAgain(tx, input);
    if (won === null) return null;
    const before = await formerPosts(tx, input.runId);
    await clearReading(tx, input.runId);
    await record(tx);
    return saveInside(tx, input, won, last, async () => ({ posts: before, links: [] }));
  });
}

/**
 * Saves a late response. Facts are the same as if it had been read in time: what it holds was sighted when it came, also
 * where a later response was saved first. What it is the first to report is appended to the feed now.
 * @returns the diff; `null` when somebody else has read it
 */
export async function saveLate(db: Database, input: LateInput): Promise<Diff | null> {
  await ensurePartitions(db, input.observedAt);
  return inTransaction(db, async (tx, last) => {
    const won = await readLate(tx, input);
    if (won === null) return null;
    const before = won.isResult ? await formerPosts(tx, input.runId) : [];
    if (won.isResult) await clearReading(tx, input.runId);
    return saveInside(tx, input, won, last, async (saved) => {
      const { posts, links } = await lowerFirstSeen(tx, saved);
      return { posts: [...before, ...posts], links };
    });
  });
}

/** The diff of a run that has been committed, read back. */
export async function committedDiff(db: Database, runId: Id): Promise<Diff> {
  const { rows } = await db.pool.query<{ baseline: boolean; posts: Id[]; links: Id[]; completions: Id[] }>(
    `SELECT r.baseline,
       coalesce(array_agg(d.thing ORDER BY d.id) FILTER (WHERE d.kind = 'post'), '{}') AS posts,
       coalesce(array_agg(d.thing ORDER BY d.id) FILTER (WHERE d.kind = 'link'), '{}') AS links,
       coalesce(array_agg(d.thing) FILTER (WHERE d.kind = 'completion'), '{}') AS completions
     FROM strandline.runs r LEFT JOIN strandline.discoveries d ON d.run_id = r.id
     WHERE r.id = $1 GROUP BY r.id`,
    [runId],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('a run that was saved is not there');
  return {
    baseline: row.baseline,
    newPosts: row.posts,
    newLinks: row.links,
    completionChanged: row.completions.length > 0,
  };
}

type Sighted = { new_posts: Id[]; new_links: Id[] };

/** What was known before and is known otherwise by a response that is not read in its turn. */
type Touched = { posts: Id[]; links: Id[] };

/**
 * Most statements need no answer of the one ahead of them, and are sent behind it at once: the keys that a run has to
 * wait for are those of its posts and links, and of its completion.
 */
async function saveInside(
  tx: Transaction,
  input: Saved,
  won: Outcome,
  last: Last,
  /** For a response that is not read in its turn, behind its sightings. */
  touch?: (input: Saved) => Promise<Touched>,
): Promise<Diff> {
  const { observedAt, runId, searchId, serviceId } = input;
  const findings = won.anyForgotten ? await leaveOutForgotten(tx, input) : input.findings;
  const authors = JSON.stringify(findings.authors);
  const posts = JSON.stringify([...findings.posts, ...findings.nestedPosts]);
  const links = JSON.stringify(linkRows(findings));

  last(tx.query(KEEP_PLANS));
  const [, saved, sighted] = await answersTo([
    prepared(tx, 'save_authors', SAVE_AUTHORS_AND_LINKS, [serviceId, observedAt, authors, links]),
    prepared<{ changed: Id[] }>(tx, 'save_posts', SAVE_POSTS_AND_ADDRESSES, [
      serviceId,
      observedAt,
      posts,
      links,
    ]),
    prepared<Sighted>(tx, 'sight', SIGHT, [
      serviceId,
      observedAt,
      searchId,
      runId,
      findings.posts.map((post) => post.external_id),
      findings.links.map((link) => link.address),
      findings.links.map((link) => link.source),
      won.isResult,
    ]),
  ]);
  if (saved === undefined || sighted === undefined)
    throw new Error('a statement of the save returned no row');
  const { new_posts: newPosts, new_links: newLinks } = sighted;
  const [completion, touched] = await answersTo([
    won.isResult ? saveCompletion(tx, { ...input, findings }) : Promise.resolve(null),
    touch?.({ ...input, findings }) ?? Promise.resolve({ posts: [], links: [] }),
  ]);
  last(
    logReading(tx, {
      searchId,
      runId,
      at: observedAt,
      // How far the answer reached is told by all that it held.
      posts: won.isResult ? input.findings.posts.length : null,
      newPosts,
      newLinks,
      changedPosts: saved.changed,
      touchedPosts: touched.posts,
      touchedLinks: touched.links,
      notify: touch === undefined,
    }),
  );

  const discovered: [kind: string, thing: Id][] = [
    ...newPosts.map((id): [string, Id] => ['post', id]),
    ...newLinks.map((id): [string, Id] => ['link', id]),
    ...(completion?.changed === true ? [['completion', completion.id] satisfies [string, Id]] : []),
  ];
  if (discovered.length > 0) {
    last(tx.query(LOCK_FEED));
    last(
      prepared(tx, 'append_discoveries', APPEND_DISCOVERIES, [
        searchId,
        runId,
        won.at,
        won.baseline,
        discovered.map(([kind]) => kind),
        discovered.map(([, thing]) => thing),
        won.itemsNewBefore + newPosts.length + newLinks.length,
        won.isOlder,
      ]),
    );
  }
  return { baseline: won.baseline, newPosts, newLinks, completionChanged: completion?.changed ?? false };
}

/** What a late response holds was seen when it came. @returns what was thought to be seen later */
async function lowerFirstSeen(tx: Transaction, input: Saved): Promise<Touched> {
  const { serviceId, observedAt, searchId, runId, findings } = input;
  const { rows } = await tx.query<Touched>(LOWER_FIRST_SEEN, [
    serviceId,
    observedAt,
    searchId,
    runId,
    findings.posts.map((post) => post.external_id),
    findings.links.map((link) => link.address),
  ]);
  return rows[0] ?? { posts: [], links: [] };
}

/** Posts of the former reading of a run. */
async function formerPosts(tx: Transaction, runId: Id): Promise<Id[]> {
  const { rows } = await tx.query<{ post_ids: Id[] }>(
    'SELECT post_ids FROM strandline.run_results WHERE run_id = $1',
    [runId],
  );
  return rows[0]?.post_ids ?? [];
}

async function saveCompletion(tx: Transaction, input: Saved): Promise<{ id: Id; changed: boolean } | null> {
  const { completion } = input.findings;
  if (completion === null) return null;
  const { completion_links, search_completion_links, key_items, claims, ...texts } = completion;
  const row = await prepared<{ id: Id; changed: boolean }>(tx, 'insert_completion', INSERT_COMPLETION, [
    input.runId,
    input.searchId,
    input.observedAt,
    completion_links.map((link) => link.address),
    search_completion_links.map((link) => link.address),
    JSON.stringify(texts),
    JSON.stringify(key_items.map(({ link, ...item }) => ({ ...item, address: link?.address ?? null }))),
  ]);
  if (row !== undefined) await saveClaims(tx, { ...input, completionId: row.id, claims });
  return row ?? null;
}

/** Found links first, then those that a completion only refers to; each address once. */
function linkRows(findings: Findings): object[] {
  const rows = new Map<string, ReadLink | LinkRef>();
  for (const link of findings.links) rows.set(link.address, link);
  const completion = findings.completion;
  if (completion !== null) {
    const items = completion.key_items.flatMap((item) => (item.link === null ? [] : [item.link]));
    const cited = completion.claims.flatMap(({ citations }) => citations);
    const { completion_links, search_completion_links } = completion;
    for (const link of [...completion_links, ...search_completion_links, ...items, ...cited]) {
      if (!rows.has(link.address)) rows.set(link.address, link);
    }
  }
  return [...rows.values()].map((link, ord) => ({ ...link, ord }));
}

/** Runs a statement that is parsed and planned once per connection. @returns its first row */
async function prepared<Row extends object>(
  tx: Transaction,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row | undefined> {
  const result = await tx.query<Row>({ name, text, values });
  return result.rows[0];
}
