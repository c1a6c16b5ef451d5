import { expect, test } from 'vitest';
import { query, readyStage, stage } from './stage.ts';

test('a second owner is refused, with the process id of the first', async () => {
  const { open, openElsewhere } = await readyStage();
  const first = await openElsewhere('owner');
  await expect(open('owner')).rejects.toMatchObject({
    name: 'Refused',
    kind: 'conflict',
    message: expect.stringMatching(new RegExp(`process ${first.pid}, since \\d{4}-.*Z\\) uses .*data`)),
  });
  expect(await query(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a guest joins a running server and leaves it running', async () => {
  const { open, serverPid } = await readyStage();
  const owner = await open('owner');
  const guest = await open('guest');
  expect(guest).toMatchObject({ url: owner.url, started: false, adopted: true });
  await guest.close();
  expect(await serverPid()).toBeDefined();
  expect(await query(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('an owner that exits first leaves the server to its guests, and the last guest stops it', async () => {
  const { open, serverPid } = await readyStage();
  const owner = await open('owner');
  const guests = [await open('guest'), await open('guest')];
  await owner.close();
  await guests[0]?.close();
  expect(await query(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await guests[1]?.close();
  expect(await serverPid()).toBeUndefined();
});

test('a guest that started the server leaves it to an owner that came later', async () => {
  const { open, openElsewhere, serverPid } = await readyStage();
  const guest = await open('guest');
  expect(guest.started).toBe(true);
  const owner = await openElsewhere('owner');
  await guest.close();
  expect(await serverPid()).toBeDefined();
  expect(await query(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('many processes that start together share one server, and the last to exit stops it', async () => {
  const { open, serverPid } = await stage();
  const all = await Promise.all(Array.from({ length: 5 }, () => open('guest')));
  expect(new Set(all.map((one) => one.url)).size).toBe(1);
  expect(all.filter((one) => one.started)).toHaveLength(1);
  await Promise.all(all.map((one) => one.close()));
  expect(await serverPid()).toBeUndefined();
});

test('a process that starts while the last one exits still gets a server', async () => {
  const { open } = await readyStage();
  let before = await open('guest');
  for (let i = 0; i < 5; i += 1) {
    const [next] = await Promise.all([open('guest'), before.close()]);
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    before = next;
  }
});

test('closing twice has no effect', async () => {
  const { open } = await readyStage();
  const postgres = await open('owner');
  await Promise.all([postgres.close(), postgres.close()]);
  await postgres.close();
});
