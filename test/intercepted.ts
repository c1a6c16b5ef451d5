/** Databases whose statements a test hears, delays, loses or refuses. */
import type { QueryResult } from 'pg';
import type { Database } from '../src/store/db/database.ts';

/** `query` of a pool or of a connection, in any of its forms. */
type Query = (...given: unknown[]) => Promise<QueryResult>;
/** Takes the place of `query`, which it may call. */
type Intercept = (query: Query, given: unknown[]) => Promise<QueryResult>;

/**
 * The same database, whose statements are intercepted.
 * @param by.ofPool statements of the pool, outside of transactions
 * @param by.ofConnections statements of connections that are taken from the pool, in transactions
 */
export function intercepted(
  db: Database,
  { ofPool = pass, ofConnections = pass }: { ofPool?: Intercept; ofConnections?: Intercept },
): Database {
  const { pool } = db;
  const replace = (of: { query: unknown }, intercept: Intercept): Query => {
    const query = (of.query as Query).bind(of);
    return (...given) => intercept(query, given);
  };
  const connect = async () => {
    const client = await pool.connect();
    const query = replace(client, ofConnections);
    return Object.assign(Object.create(client), { query, release: client.release.bind(client) });
  };
  return { ...db, pool: Object.assign(Object.create(pool), { connect, query: replace(pool, ofPool) }) };
}

const pass: Intercept = (query, given) => query(...given);
