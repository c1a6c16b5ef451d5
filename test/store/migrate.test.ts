import { afterAll, expect, test } from 'vitest';
import { connect } from '../../src/engine/postgres/connect.ts';
import { checkSchema } from '../../src/store/schema-state.ts';
import { freshDatabase } from '../database.ts';

const database = await freshDatabase();
afterAll(() => database.drop());

test('a database from the template is current', async () => {
  const client = await connect(database.url, 'test');
  await client.end();
  expect(await checkSchema(database.url)).toBe('current');
});
