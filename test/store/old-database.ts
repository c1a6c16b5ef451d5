import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { connect } from '../../src/platform/postgres/connect.ts';
import { emptyDatabase, type TestDatabase } from '../database.ts';

/**
 * A database as the last release before `0000_tables` left it: `pg_dump -s` of one that all of its 42 migrations had been applied
 * to, without owners, grants to the reader and comments of pg_dump, and with the first rows. Where Postgres does not read a
 * definition in its own words as the same one, it is in the words of the migrations.
 */
export async function databaseOf0041(): Promise<TestDatabase> {
  const database = await emptyDatabase();
  onTestFinished(() => database.drop());
  const dump = gunzipSync(await readFile(new URL('database-0041.sql.gz', import.meta.url)));
  const client = await connect(database.url, 'test');
  try {
    await client.query(dump.toString());
  } finally {
    await client.end();
  }
  return database;
}
