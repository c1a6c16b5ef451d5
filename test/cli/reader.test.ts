/** A command changes the password of the reader in your own Postgres, as far as our role is allowed to. */
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { runCli } from '../../src/cli/command-line.ts';
import { readErrorCode } from '../../src/model/errors.ts';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import { openProgram } from '../../src/app/program.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { readAudit } from '../../src/store/queries/audit-log.ts';
import { startWeb } from '../../src/app/web-server.ts';
import { silent, readyStage } from '../engine/stage.ts';
import { makeWorld } from '../world.ts';
import { collector, homeOf } from './stand.ts';

test('prints the new address once, and it works; a role without permission gets the command to run, and nothing changes', async () => {
  const { open } = await readyStage();
  const server = await open('owner');
  const { readerUrl, superuserUrl } = server;
  await migrate({ url: server.url, readerUrl, log: silent });

  const rotate = async (url: string, reader = readerUrl) => {
    const database = { url, readerUrl: reader, name: 'strandline', drop: () => Promise.resolve() };
    const world = await makeWorld({ database });
    const [out, talk] = [collector(), collector()];
    const io = { stdout: out.stream, stderr: talk.stream, isTTY: false, env: { DATABASE_URL: url } };
    const code = await runCli(['reader', 'rotate'], io, { open: () => Promise.resolve(homeOf(world)) });
    const log = await readAudit(world.db, { action: 'reader.rotated' }, { limit: 9 });
    await world.close();
    return { code, stdout: out.text(), stderr: talk.text(), log };
  };
  const enters = (url: string) =>
    connect(url, 'test').then((client) => client.end().then(() => 'in'), readErrorCode);

  // The role of the program in the embedded Postgres may not change others.
  const refused = await rotate(server.url);
  expect(refused).toMatchObject({ code: 1, stdout: '', log: [] });
  expect(refused.stderr).toContain(`ALTER ROLE "strandline_reader" PASSWORD '...'`);
  expect(await enters(readerUrl)).toBe('in');

  const owner = withDatabase(superuserUrl, 'strandline');
  const { code, stdout, stderr, log } = await rotate(owner);
  expect([code, await enters(stdout.trim()), await enters(readerUrl)]).toEqual([0, 'in', '28P01']);
  expect(stderr).toContain('Set DATABASE_READER_URL');
  expect(stderr).not.toContain(new URL(stdout.trim()).password);
  expect(log).toMatchObject([{ actor: 'command_line', subject: 'strandline_reader', changes: {} }]);

  const nobody = new URL(readerUrl);
  nobody.username = 'nobody';
  const missing = await rotate(owner, nobody.href);
  expect(missing).toMatchObject({ code: 1, log: [{}] });
  expect(missing.stderr).toContain('role nobody does not exist. Run: strandline migrate');
});

test('a server on the embedded Postgres answers statements before and after a password rotation', async () => {
  const { dataDir } = await readyStage();
  const env = { STRANDLINE_DATA_DIR: dataDir, PORT: '0', SERVICE_SOURCES: 'sandbox' };
  const home = await openProgram({ config: readConfig(env), log: silent, role: 'owner' });
  onTestFinished(() => home.close());
  // As `up` does.
  const web = await startWeb({ ...home, idle: () => null });
  onTestFinished(() => web.close());
  const ask = async () => {
    const reply = await fetch(`${web.url}/api/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql: 'select current_user::text as who' }),
    });
    return { status: reply.status, body: await reply.text() };
  };
  const answered = { status: 200, body: expect.stringContaining('strandline_reader') as string };
  expect(await ask()).toMatchObject(answered);

  const [out, talk] = [collector(), collector()];
  const io = { stdout: out.stream, stderr: talk.stream, isTTY: false, env };
  expect(await runCli(['reader', 'rotate'], io), talk.text()).toBe(0);
  expect(out.text().trim()).toBe(home.readerUrl());
  expect(await ask()).toMatchObject(answered);
});
