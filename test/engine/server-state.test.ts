/** A database to which nothing can be written: the start and doctor name the setting, and the command that changes it. */
import { escapeIdentifier } from 'pg';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { checkPostgres } from '../../src/cli/system-checks.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { homeOf } from '../cli/stand.ts';
import { makeWorld } from '../world.ts';

const world = await makeWorld();
const { database } = world;
const superuser = await connect(inject('superuserUrl'), 'test');
const login = new URL(database.url).username;
const [role, base] = [escapeIdentifier(login), escapeIdentifier(database.name)];
afterAll(async () => {
  await superuser.end();
  await world.close();
});

/** As an administrator, who may write. */
async function asAdministrator(statement: string): Promise<void> {
  await superuser.query('SET default_transaction_read_only = off');
  await superuser.query(statement);
}

beforeEach(async () => {
  await asAdministrator(`ALTER DATABASE ${base} RESET ALL`);
  await asAdministrator(`ALTER ROLE ${role} IN DATABASE ${base} RESET ALL`);
});

test.each([
  ['default_transaction_read_only', 'on', `ALTER DATABASE ${base}`],
  ['default_transaction_read_only', 'on', `ALTER ROLE ${role} IN DATABASE ${base}`],
  ['session_replication_role', 'replica', `ALTER DATABASE ${base}`],
  ['session_replication_role', 'local', `ALTER ROLE ${role} IN DATABASE ${base}`],
])('%s = %s by %s', async (setting, value, where) => {
  await asAdministrator(`${where} SET ${setting} = '${value}'`);
  const log = createLogger('silent');
  const start = migrate({ url: database.url, log });
  await expect(start).rejects.toThrow(`${setting} is ${value}`);
  await expect(start).rejects.toThrow(`${where} RESET ${setting}`);
  const check = await checkPostgres(homeOf(world));
  expect(check).toMatchObject({ state: 'failed', advice: `to change it: ${where} RESET ${setting}` });
  expect(check.facts).toContain(setting);

  await asAdministrator(`${where} RESET ${setting}`);
  await migrate({ url: database.url, log });
  expect(await checkPostgres(homeOf(world))).toMatchObject({ state: 'ok' });
});

test('a superuser, who may change it, is not refused: the setting is fixed', async () => {
  await asAdministrator(`ALTER DATABASE ${base} SET session_replication_role = 'replica'`);
  const client = await connect(withDatabase(inject('superuserUrl'), database.name), 'test');
  const { rows } = await client.query('SHOW session_replication_role');
  await client.end();
  expect(rows).toEqual([{ session_replication_role: 'origin' }]);
});
