/** Forgetting an author: everything stored of them goes, and a tombstone keeps them from coming back. */
import { MINUTE } from '../../engine/clock.ts';
import { Refused } from '../../errors.ts';
import { type Actor, recordAudit } from '../audit.ts';
import type { Clock } from '../../engine/clock.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../database.ts';
import { deleteReplies } from '../idempotency.ts';
import { deleteAnswersAbout } from './answers.ts';
import { deleteRejectsAbout } from './rejects.ts';
import { type Forgettable, forgottenAmong, raiseTombstones } from './tombstones.ts';
import { findTraces, removeTraces, type Traces } from './traces.ts';

export type KnownAuthor = {
  id: Id;
  service_id: Id;
  service: string;
  external_id: string;
  username: string | null;
  name: string | null;
  url: string | null;
};

/** What went, by kind; all zero where everything had gone before. */
export type Forgotten = Record<string, number>;

/**
 * Who is meant: an id of the service, or `@` and the name there.
 * @returns undefined where they are forgotten already
 * @throws Refused where there is no such service or author, or a name means several
 */
export async function findAuthor(
  db: Database,
  service: string,
  given: string,
): Promise<KnownAuthor | undefined> {
  const { rows: services } = await db.pool.query<{ id: Id; name: string }>(
    'SELECT id, name FROM strandline.services ORDER BY id',
  );
  const known = services.find(({ name }) => name === service);
  if (known === undefined) {
    const names = services.map(({ name }) => name).join(', ');
    throw new Refused('not_found', `there is no service "${service}"; there are: ${names || 'none yet'}`);
  }
  const { rows } = await db.pool.query<KnownAuthor>(
    `SELECT id, service_id, $2 AS service, external_id, username, name, url FROM strandline.authors
     WHERE service_id = $1 AND ${given.startsWith('@') ? 'lower(username) = lower($3)' : 'external_id = $3'} ORDER BY id`,
    [known.id, service, given.replace(/^@/, '')],
  );
  if (rows.length > 1) {
    const ids = rows.map(({ external_id }) => external_id).join(', ');
    throw new Refused('conflict', `${given} was the name of several authors; give the id of one: ${ids}`);
  }
  const [author] = rows;
  if (author !== undefined) return author;
  if (await isForgotten(db, { kind: 'author', serviceId: known.id, externalId: given })) return undefined;
  const otherwise = given.startsWith('@')
    ? 'names of the forgotten are not kept, so whether they were forgotten is known by their id alone'
    : `an id is meant; a name is written with @ before it: @${given}`;
  throw new Refused('not_found', `no author ${given} of ${service} is stored; ${otherwise}`);
}

/** How much is stored of an author, for whoever is about to have it removed. */
export async function whatIsStored(
  db: Database,
  author: KnownAuthor,
): Promise<{ posts: number; links: number }> {
  const { posts, links } = await findTraces(db.pool, author, profileOf(author));
  return { posts: posts.length, links: links.length };
}

/**
 * Removes an author with all that is theirs: posts and what repeats them, counters, sightings, links to them,
 * items that cite those links, and raw answers that name them. One transaction, in which no save runs; raw answers,
 * which take long to look through, are looked through before, and in it only those that came meanwhile.
 * Whoever is interrupted does it again.
 */
export async function forgetAuthor(
  { db, clock, actor }: { db: Database; clock: Clock; actor: Actor },
  author: KnownAuthor,
): Promise<Forgotten> {
  const now = clock.now();
  const since = await beforeNewest(db);
  const before = await deleteAnswersAbout(db.pool, author);
  return inTransaction(db, async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('strandline.forget'))`);
    const traces = await findTraces(tx, author, profileOf(author));
    await raiseTombstones(tx, tombstonesOf(author, traces), now);
    const gone = await removeTraces(tx, author.id, traces);
    const rejects = await deleteRejectsAbout(tx, [author]);
    // A response to a trial is stored nowhere else. Its request is executed again when it is sent again.
    await deleteReplies(tx, 'POST /api/v1/searches/try');
    const after = await deleteAnswersAbout(tx, author, { since, runs: before.open });
    // Their key, which leads nowhere from now on: neither their name nor their id on the service is kept anywhere.
    const changes = { service: { after: author.service }, posts: { before: gone['posts'], after: 0 } };
    await recordAudit(tx, { clock, actor }, { action: 'author.forgotten', subject: author.id, changes });
    return { ...gone, rejects, answers: before.deleted + after.deleted };
  });
}

/** From when on answers may be missed by a look that begins now: they are dated by the clocks of their workers. */
async function beforeNewest(db: Database): Promise<Date> {
  const { rows } = await db.pool.query<{ at: Date | null }>(
    'SELECT max(received_at) AS at FROM strandline.answers',
  );
  return new Date((rows[0]?.at?.getTime() ?? 0) - MINUTE);
}

function tombstonesOf(author: KnownAuthor, { posts, links }: Traces): Forgettable[] {
  const { service_id: serviceId } = author;
  const addresses = [
    profileOf(author),
    ...posts.map(({ url }) => url),
    ...links.map((link) => link.canonical),
  ];
  return [
    { kind: 'author', serviceId, externalId: author.external_id },
    ...posts.map((post) => ({ kind: 'post', serviceId, externalId: post.external_id }) as const),
    ...addresses.flatMap((address) => (address === null ? [] : [{ kind: 'link', address } as const])),
  ];
}

/** Some services give a home page there, which may be anybody's: only an address that ends with the name is theirs. */
function profileOf({ url, username }: KnownAuthor): string | null {
  if (url === null || username === null || username === '') return null;
  const last = url.replace(/\/$/, '').split('/').at(-1)?.toLowerCase();
  const name = username.toLowerCase();
  return last === name || last === `@${name}` ? url : null;
}

async function isForgotten(db: Database, thing: Forgettable): Promise<boolean> {
  const ask = async (tx: Transaction) => (await forgottenAmong(tx, [thing]))(thing);
  return inTransaction(db, ask);
}
