/** What needs attention is on the overview by name, and on the System page as numbers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../../src/monitor/topics/search-state.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { heartbeatOf, storeUnread } from '../../status/unread.ts';
import { openStand } from '../access/stand.ts';
import { textOf } from './person.ts';

const stand = await openStand();
const { ctx, db, clock } = stand.world;
let app: App;
beforeAll(async () => {
  app = await stand.serve(WEB);
});
afterAll(() => stand.close());

const shown = async (url: string) => textOf((await app.inject({ url })).body);

test('a silent search is named on the overview until it is paused, and counted on the System page', async () => {
  const { search } = await createSearch(ctx, {
    slug: 'quiet-ferry',
    topic: 'ferry',
    operation: 'microblog',
    prompt: 'ferry',
    service: 'sandbox',
    every: '15m',
  });
  expect(await shown('/')).not.toMatch(/needs? attention/);
  clock.advance(2 * HOUR);
  expect(await shown('/')).toMatch(
    /1 needs attention .* ferry Silent since 21 Nov, 12:00 No successful run for three intervals; no run has ended yet\./,
  );
  expect(await shown('/system')).toMatch(/need attention 1 search 1 silent/);

  await storeUnread(db, search.id, clock.now());
  // A run that failed says more than that none has succeeded.
  expect(await shown('/')).toMatch(/ferry Failing since .* Internal error in strandline \(internal\)\./);
  await changeSearch(ctx, 'quiet-ferry', 'pause');
  expect(await shown('/')).not.toMatch(/needs? attention/);
  expect(await shown('/system')).toContain('need attention 0 searches');
});

test('the System page counts unread responses and links to the oldest late one', async () => {
  const { rows } = await db.pool.query<{ id: bigint }>('SELECT id FROM strandline.searches LIMIT 1');
  const [ferry] = rows;
  if (ferry === undefined) throw new Error('no search');
  await db.pool.query('DELETE FROM strandline.responses');
  expect(await shown('/system')).toMatch(/unread 0 responses .* Unread responses none /);
  await storeUnread(db, ferry.id, clock.now());
  expect(await shown('/system')).toContain('Unread responses 1 response stored, not parsed yet ');
  const late = await storeUnread(db, ferry.id, new Date(clock.now().getTime() - 10 * MINUTE));
  await heartbeatOf(stand.world, { name: 'with-a-spool', spooled: 2 });
  const { body } = await app.inject({ url: '/system' });
  expect(textOf(body)).toContain('unread 4 responses 1 for more than a minute');
  expect(textOf(body)).toContain('2 on the disk of a worker until Postgres is available');
  expect(textOf(body)).toContain('unparsed 1 paid response not parsed, the oldest for 10 min');
  expect(body).toContain(`href="/runs/${late}"`);
});

test('the System page says when the last scan ran, and that it is late', async () => {
  const scanned = (ago: string) =>
    db.pool.query('UPDATE strandline.scanner SET scanned_at = clock_timestamp() - $1::interval', [ago]);
  await scanned('0 s');
  expect(await shown('/system')).not.toContain('LATE');
  await scanned('2 min');
  expect(await shown('/system')).toMatch(/scan LATE: last ran 2 min ago, so due searches do not run/);
});

test('the System page names every retention period, and all that is due', async () => {
  const page = await shown('/system');
  expect(page).toContain('Message bodies 30 days');
  expect(page).toContain('Due for deletion nothing');
  await db.pool.query(
    `INSERT INTO strandline.audit_log (at, actor, action, changes) VALUES ('2020-01-01', 'local', 'search.pause', '{}')`,
  );
  expect(await shown('/system')).toContain('Due for deletion 1 audit log entry ');
});
