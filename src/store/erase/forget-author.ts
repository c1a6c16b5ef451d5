/**
 * Forgets an author: deletes everything stored about them, and adds a tombstone that prevents them from being stored again.
 */

import { Refused } from '../../model/errors.ts';
import type { Config } from '../../config/config.ts';
import type { OwnLinkRule } from '../../model/links/link-identity.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Actor, recordAudit } from '../access/audit-entries.ts';
import { type Database, type Id, inTransaction, type Queryable, onlyRow } from '../db/database.ts';
import { execute, rowsOf, statement, type Statement } from '../db/statement.ts';
import type { authors } from '../schema/post-tables.ts';
import type { responses } from '../schema/run-tables.ts';
import { waitForFollower } from '../derive/pending-derivations.ts';
import { deleteReplies } from '../access/idempotency.ts';
import { decodeBody } from '../runs/responses.ts';
import { lockSaves } from './save-lock.ts';
import {
  deleteRejectsAbout,
  findForgotten,
  type Forgettable,
  listSpellings,
  type AuthorNames,
  raiseTombstones,
} from './tombstones.ts';
import { findTraces, removeTraces, type Traces } from './traces.ts';

type KnownAuthor = Pick<
  typeof authors.$inferSelect,
  'id' | 'service_id' | 'external_id' | 'username' | 'name'
> & {
  service: string;
  /** The current and former handles. */
  usernames: string[];
  /** Current and former addresses of the profile and the homepage. */
  urls: string[];
};

/** Number of deleted rows by kind; all zero if already deleted. */
type ForgottenCounts = Record<string, number>;

/**
 * Finds an author by ID on the service, or by `@` and username.
 * @returns undefined if already forgotten
 * @throws Refused for an unknown service or author, or an ambiguous username
 */
export async function findAuthor(
  db: Database,
  service: string,
  idOrName: string,
): Promise<KnownAuthor | undefined> {
  const services = await rowsOf<{ id: Id; name: string }>(
    db.pool,
    statement`SELECT id, name FROM strandline.services ORDER BY id`,
  );
  const known = services.find(({ name }) => name === service);
  if (known === undefined) {
    const names = services.map(({ name }) => name).join(', ');
    throw new Refused('not_found', `there is no service "${service}"; services: ${names || 'none yet'}`);
  }
  const isAuthor = idOrName.startsWith('@')
    ? statement`lower(username) = lower(${idOrName.slice(1)})`
    : statement`external_id = ${idOrName}`;
  const rows = await rowsOf<KnownAuthor>(
    db.pool,
    statement`SELECT id, service_id, ${service} AS service, external_id, username, name,
        ARRAY(SELECT username FROM strandline.author_versions v WHERE v.author_id = a.id AND v.username <> ''
          UNION SELECT a.username WHERE a.username <> '') AS usernames,
        ARRAY(SELECT url FROM strandline.author_versions v WHERE v.author_id = a.id AND v.url <> ''
          UNION SELECT a.url WHERE a.url <> '') AS urls
      FROM strandline.authors a WHERE service_id = ${known.id} AND ${isAuthor} ORDER BY id`,
  );
  if (rows.length > 1) {
    const ids = rows.map(({ external_id }) => external_id).join(', ');
    throw new Refused('conflict', `${idOrName} matches several authors. Use the ID of one: ${ids}`);
  }
  const [author] = rows;
  if (author !== undefined) return author;
  if (await isForgotten(db, { kind: 'author', serviceId: known.id, externalId: idOrName })) return undefined;
  const otherwise = idOrName.startsWith('@')
    ? 'for a forgotten author, use the ID (usernames are not kept)'
    : `for a username, write @${idOrName}`;
  throw new Refused('not_found', `no author ${idOrName} of ${service} is stored; ${otherwise}`);
}

/** How much is stored about an author, for confirmation before deleting. */
export async function countStored(
  { db, config }: { db: Database; config: Pick<Config, 'linkRules'> },
  author: KnownAuthor,
): Promise<{ posts: number; links: number }> {
  const traces = await findTraces(db.pool, author, listProfiles(author), config.linkRules);
  return { posts: traces.posts.length, links: traces.links.length + traces.orphanIds.length };
}

/**
 * Deletes an author with all their data: posts and reposts of them, counters, sightings, links to them, key items
 * that cite those links, and raw responses that name them. Saves are blocked during the transaction. Searching raw
 * responses takes long, so most are searched before it, and only new ones in it. If interrupted, repeat it.
 */
export async function forgetAuthor(
  {
    db,
    clock,
    actor,
    config: { linkRules },
  }: { db: Database; clock: Clock; actor: Actor; config: Pick<Config, 'linkRules'> },
  author: KnownAuthor,
): Promise<ForgottenCounts> {
  const now = clock.now();
  const since = await readOldestTransaction(db);
  const before = await deleteResponsesAbout(db.pool, author);
  return inTransaction(db, async (tx) => {
    await waitForFollower(tx);
    await lockSaves(tx);
    const traces = await findTraces(tx, author, listProfiles(author), linkRules);
    await raiseTombstones(tx, listTombstones(author, traces, linkRules), now);
    const gone = await removeTraces(tx, author.id, traces);
    const rejects = await deleteRejectsAbout(tx, [author]);
    // A response to a trial is stored nowhere else. Its request is executed again when it is sent again.
    await deleteReplies(tx, 'POST /api/v1/searches/try');
    const after = await deleteResponsesAbout(tx, author, { since, runs: before.open });
    // The key no longer refers to anything: neither name nor external ID is stored.
    const changes = { service: { after: author.service }, posts: { before: gone['posts'], after: 0 } };
    await recordAudit(tx, { clock, actor }, { action: 'author.forgotten', subject: author.id, changes });
    return { ...gone, rejects, answers: before.deleted + after.deleted };
  });
}

/**
 * Responses that cannot be read yet are written by this transaction or a later one. Times of receipt do not show it: a
 * response may be stored hours after its receipt.
 */
async function readOldestTransaction(db: Database): Promise<string> {
  const rows = await rowsOf<{ xid: string }>(
    db.pool,
    statement`SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text AS xid`,
  );
  return onlyRow(rows).xid;
}

function listTombstones(
  author: KnownAuthor,
  { posts, links, addresses }: Traces,
  linkRules: readonly OwnLinkRule[],
): Forgettable[] {
  const { service_id: serviceId } = author;
  const spellings = [...addresses, ...links.flatMap(({ canonical }) => listSpellings(canonical, linkRules))];
  return [
    { kind: 'author', serviceId, externalId: author.external_id },
    ...posts.map((post) => ({ kind: 'post', serviceId, externalId: post.external_id }) as const),
    ...spellings.map((address) => ({ kind: 'link', address }) as const),
  ];
}

/**
 * The author's pages on the service. Some services report a homepage, which may be anyone's: only a URL that ends with a
 * username is the author's.
 */
function listProfiles({ urls, usernames }: KnownAuthor): string[] {
  const names = new Set(usernames.map((name) => name.toLowerCase()));
  return urls.filter((url) => {
    const last = url.replace(/\/$/, '').split('/').at(-1)?.toLowerCase() ?? '';
    return names.has(last.replace(/^@/, ''));
  });
}

async function isForgotten(db: Database, thing: Forgettable): Promise<boolean> {
  return (await findForgotten(db.pool, [thing]))(thing);
}

/** Raw responses are compressed and must be read to find names, so only a few are read at a time. */
const RESPONSE_BATCH = 20;

type ResponseRow = Pick<typeof responses.$inferSelect, 'run_id' | 'n' | 'received_at' | 'body'> & {
  open: boolean;
};

type ResponsePosition = { receivedAt: Date | string; runId: Id; n: number };

/** The next batch of responses that meet a condition, oldest first. */
const responsesAfter = (after: ResponsePosition, which: Statement): Statement => statement`
SELECT a.run_id, a.n, a.received_at, r.status IN ('queued', 'running') AS open, a.body
FROM strandline.responses a JOIN strandline.runs r ON r.id = a.run_id
WHERE (a.received_at, a.run_id, a.n) > (${after.receivedAt}, ${after.runId}::bigint, ${after.n}::int) AND ${which}
ORDER BY a.received_at, a.run_id, a.n LIMIT ${RESPONSE_BATCH}`;

/**
 * Deletes stored responses that name an author. If the run has not ended, its save excludes the author and deletes
 * the response; without the response, the run would have to repeat the paid call.
 * @param only responses written since this transaction, and responses of these runs
 * @returns how many were deleted, and the runs that were skipped
 */
async function deleteResponsesAbout(
  db: Queryable,
  author: AuthorNames,
  only?: { since: string; runs: readonly Id[] },
): Promise<{ deleted: number; open: Id[] }> {
  const names = namesPattern(author);
  const open = new Set<Id>();
  let deleted = 0;
  const which =
    only === undefined
      ? statement`true`
      : statement`(age(a.xmin) <= age(${only.since}::xid) OR a.run_id = ANY (${only.runs}::bigint[]))`;
  let after: ResponsePosition = { receivedAt: '-infinity', runId: 0n, n: 0 };
  for (;;) {
    const rows = await rowsOf<ResponseRow>(db, responsesAfter(after, which));
    const last = rows.at(-1);
    if (last === undefined) return { deleted, open: [...open] };
    after = { receivedAt: last.received_at, runId: last.run_id, n: last.n };
    for (const row of rows) {
      if (row.open) open.add(row.run_id);
      // One character per byte: IDs and usernames are ASCII, and other text is irrelevant.
      else if (names.test((await decodeBody(row.body)).toString('latin1'))) {
        await execute(
          db,
          statement`DELETE FROM strandline.responses WHERE run_id = ${row.run_id} AND n = ${row.n}`,
        );
        deleted += 1;
      }
    }
  }
}

/**
 * Matches the ID as a whole value, or the username as a value, a mention or part of a URL: matching any word would
 * delete half of all responses for some usernames. Prefers false positives.
 */
function namesPattern({ external_id, usernames }: AuthorNames): RegExp {
  const end = '(?![\\w-])';
  const id = `(?<![\\w-])${wordPattern(external_id)}${end}`;
  const names = usernames.map((username) => `["@/]${wordPattern(username)}${end}`);
  return new RegExp([id, ...names].join('|'), 'i');
}

/** Literal text, with slashes as JSON may escape them. */
function wordPattern(word: string): string {
  const bytes = Buffer.from(word, 'utf8').toString('latin1');
  return bytes.replaceAll(/[.*+?^${}()|[\]\\-]/g, '\\$&').replaceAll('/', '\\\\?/');
}
