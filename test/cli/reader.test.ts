/** The login of a Postgres of one's own gets another password by a command. */
import { afterAll, expect, test } from 'vitest';
import { codeOf, connect } from '../../src/engine/postgres/connect.ts';
import { makeStand } from './stand.ts';

const stand = await makeStand();
const { pool } = stand.world.db;
// Roles are the whole cluster's: one of this test's own.
const role = `reader_of_${stand.world.database.name}`;
await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'the-former'`);
const former = new URL(stand.world.database.readerUrl);
former.username = role;
former.password = 'the-former';
afterAll(async () => {
  await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await stand.close();
});

test('the new address is printed once, opens, and the former one does not; the log has the role alone', async () => {
  stand.home.readerUrl = former.href;
  const { code, stdout, stderr } = await stand.run(['reader', 'rotate']);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('set DATABASE_READER_URL');
  const client = await connect(stdout.trim(), 'test');
  await client.end();
  expect(await connect(former.href, 'test').catch(codeOf)).toBe('28P01');
  const log = await stand.json<{ action: string; subject: string; changes: object }[]>('audit');
  expect(log).toMatchObject([{ action: 'reader.rotated', subject: role, changes: {} }]);
  expect(stderr).not.toContain(new URL(stdout.trim()).password);
});

test('a role that is not there is said, and leaves no entry', async () => {
  const nobody = new URL(former);
  nobody.username = 'nobody_of_the_test';
  stand.home.readerUrl = nobody.href;
  const before = await stand.json<unknown[]>('audit');
  expect(await stand.run(['reader', 'rotate'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('there is no role nobody_of_the_test') as unknown,
  });
  expect(await stand.json<unknown[]>('audit')).toEqual(before);
});
