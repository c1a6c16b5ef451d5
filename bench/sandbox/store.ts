/** What the monitor's store says of a search. */
import type { Database } from '../../src/store/db/database.ts';

export type Sighting = { externalId: string; seenAt: number };

export async function sightingsOf(db: Database, slug: string): Promise<Sighting[]> {
  const { rows } = await db.pool.query<{ id: string; at: Date }>(
    `SELECT p.external_id AS id, g.first_seen_at AS at
     FROM strandline.post_sightings g JOIN strandline.posts p ON p.id = g.post_id
     JOIN strandline.searches s ON s.id = g.search_id WHERE s.slug = $1`,
    [slug],
  );
  return rows.map(({ id, at }) => ({ externalId: id, seenAt: at.getTime() }));
}

/** The first time each link was seen, by its canonical address. */
export async function linksOf(db: Database, slug: string): Promise<Map<string, number>> {
  const { rows } = await db.pool.query<{ link: string; at: Date }>(
    `SELECT l.canonical AS link, g.first_seen_at AS at
     FROM strandline.link_sightings g JOIN strandline.links l ON l.id = g.link_id
     JOIN strandline.searches s ON s.id = g.search_id WHERE s.slug = $1`,
    [slug],
  );
  return new Map(rows.map(({ link, at }) => [link, at.getTime()]));
}

/** Discoveries that say the same twice, and posts that are there twice: none, if all is well. */
export async function countDuplicates(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ n: number }>(
    `SELECT ((SELECT count(*) - count(DISTINCT (search_id, kind, thing)) FROM strandline.discoveries)
       + (SELECT count(*) - count(DISTINCT (service_id, external_id)) FROM strandline.posts))::int AS n`,
  );
  return rows[0]?.n ?? Number.NaN;
}

export type Alert = { searchSlug: string; at: number; measure: 'posts' | 'engagement' };

/** Spikes, at the time when they were reported. */
export async function alertsOf(db: Database): Promise<Alert[]> {
  const { rows } = await db.pool.query<{ slug: string; at: Date; measure: Alert['measure'] }>(
    `SELECT s.slug, k.at, k.measure FROM strandline.spikes k JOIN strandline.searches s ON s.id = k.search_id ORDER BY k.at`,
  );
  return rows.map(({ slug, at, measure }) => ({ searchSlug: slug, at: at.getTime(), measure }));
}

/** Runs by how they ended, skipped ones included. */
export async function runsByEnd(db: Database): Promise<Record<string, number>> {
  const { rows } = await db.pool.query<{ status: string; n: number }>(
    'SELECT status, count(*)::int AS n FROM strandline.runs GROUP BY 1 ORDER BY 1',
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}
