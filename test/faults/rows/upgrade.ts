/** The database changes under the program: newer, or older. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DAY } from '../../../src/lib/time.ts';
import { connect } from '../../../src/platform/postgres/connect.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { backUp } from '../../../src/store/backup/backup.ts';
import { restore } from '../../../src/store/backup/restore.ts';
import { readInstanceName } from '../../../src/store/db/facts.ts';
import { migrate } from '../../../src/store/db/migrate.ts';
import { MIGRATIONS_FOLDER, readMigrations } from '../../../src/store/db/migrations-folder.ts';
import { programOf } from '../../programs.ts';
import type { Row } from '../row.ts';
import { says } from '../says.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** Held by the row while the migrator is to wait in the middle of its work. */
const GATE = 7_790;

/** The migrations of a release to come: it adds columns to what is most in use, and a table. @returns their folder */
async function nextRelease(stage: Stage): Promise<string> {
  const folder = path.join(stage.directory, 'migrations');
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  const file = path.join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(await readFile(file, 'utf8'));
  const last = journal.entries.at(-1);
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: '9999_next' });
  await writeFile(file, JSON.stringify(journal));
  const add = (table: string) => `ALTER TABLE strandline.${table} ADD COLUMN of_the_next text;`;
  const statements = [
    ...['runs', 'calls', 'searches', 'search_versions', 'posts'].map(add),
    `SELECT pg_advisory_xact_lock_shared(${GATE});`,
    'CREATE TABLE strandline.of_the_next (id bigint PRIMARY KEY);',
    ...['authors', 'responses', 'post_sightings', 'discoveries', 'channels', 'deliveries'].map(add),
  ];
  await writeFile(path.join(folder, '9999_next.sql'), statements.join('\n--> statement-breakpoint\n'));
  return folder;
}

export const UPGRADE: readonly Row[] = [
  {
    id: 'F90',
    title:
      'the database is migrated under a worker of the previous release: one migration is killed midway, two more start together, and the worker continues, while no other of its release starts',
    core: true,
    env: { RUN_LEASE_SECONDS: '30' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(ownPosts);
      stage.service.answers(gate.script, '2');
      const old = await stage.start();
      await stage.ended((await stage.add(1)).runId);
      const { runId } = await stage.add(2);
      await stage.until('a call is under way', () => Promise.resolve(stage.service.of('2').length > 0));

      const folder = await nextRelease(stage);
      const url = stage.ctx.config.databaseUrl ?? '';
      const holder = await connect(url, 'faults');
      await holder.query(`SELECT pg_advisory_lock(${GATE})`);
      const migrator = spawn(process.execPath, [programOf('test/store/migrator.ts'), url, folder], {
        stdio: 'inherit',
      });
      const killed = once(migrator, 'exit');
      await stage.until('it is half-way', async () => {
        const { rowCount } = await holder.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${GATE} AND NOT granted`,
        );
        return rowCount === 1;
      });
      migrator.kill('SIGKILL');
      await killed;
      await holder.end();
      const { log } = stage.ctx;
      const migrated = await Promise.all([migrate({ url, folder, log }), migrate({ url, folder, log })]);
      assert.deepEqual(
        migrated.flatMap(({ applied }) => applied),
        ['9999_next'],
      );
      const known = await readMigrations(folder);
      assert.deepEqual(
        await stage.rows('SELECT hash FROM strandline.migrations ORDER BY created_at'),
        known.map(({ hash }) => ({ hash })),
      );

      gate.open();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      for (const next of [await stage.again(1), (await stage.add(3)).runId])
        assert.equal((await stage.ended(next)).status, 'succeeded');
      const refused = await stage.start();
      await refused.ended;
      assert.equal(refused.began, false);
      await says(refused, /migrated by a newer strandline/);
      assert.ok(old.lives());
      for (const { state } of await stage.rows('SELECT state FROM strandline.calls'))
        assert.equal(state, 'received');
    },
  },
  {
    id: 'F91',
    title:
      "yesterday's backup of the database is restored next to today's queue: jobs of unknown runs are removed, and each search catches up once",
    core: false,
    movesTime: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const before = await stage.start();
      for (const prompt of [1, 2, 3]) await stage.ended((await stage.add(prompt, { every: '1d' })).runId);
      await before.stop();
      const url = stage.ctx.config.databaseUrl ?? '';
      const directory = path.join(stage.directory, 'backup');
      await backUp({ url, directory, version: 'test', now: stage.ctx.clock.now() });
      const instance = await readInstanceName(stage.ctx.db, '', stage.ctx.clock.now());

      await stage.moveTime(DAY);
      const today = await stage.start();
      await stage.settled();
      await today.stop();
      // Runs and a search that the backup does not know; the queue does.
      for (const prompt of [1, 2, 3]) await stage.again(prompt);
      await createSearch(stage.ctx, { slug: 'of-today', operation: 'microblog', prompt: '4', every: '1d' });
      const { waiting = 0, prioritized = 0 } = await stage.ctx.queue.depth();

      const paid = stage.service.asked.length;
      stage.service.forget(3);
      await stage.rows('DROP SCHEMA strandline, strandline_analytics CASCADE');
      if (stage.backend === 'postgres') await stage.rows('ALTER SCHEMA bullmq RENAME TO kept');
      await restore({ url, directory, log: stage.ctx.log });
      // As whoever copies a database byte by byte: it finds the queue that it had.
      await readInstanceName(stage.ctx.db, instance, stage.ctx.clock.now());
      if (stage.backend === 'postgres') {
        await stage.rows('DROP SCHEMA bullmq CASCADE');
        await stage.rows('ALTER SCHEMA kept RENAME TO bullmq');
      }
      assert.ok(waiting + prioritized >= 4 && paid >= 6);
      await stage.start();
      await stage.settled();
      await stage.until('no job is left', async () =>
        Object.values(await stage.ctx.queue.depth()).every((jobs) => jobs === 0),
      );
      assert.equal(stage.service.asked.length - 3, 3);
    },
  },
];
