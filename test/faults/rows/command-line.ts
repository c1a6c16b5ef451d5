/** Commands that are killed midway, whose reader closes the pipe, or that get invalid settings. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Running, startShell } from '../command.ts';
import type { Row } from '../row.ts';
import { ownPosts, posts, silent } from '../scripts.ts';
import type { Stage } from '../stage.ts';

const ids = (n: number) => Array.from({ length: n }, (_, i) => String(10_000 + i));

/** A search that has found so many posts. */
async function found(stage: Stage, n: number): Promise<void> {
  stage.service.answers(posts(ids(n)));
  const worker = await stage.start();
  assert.equal((await stage.ended((await stage.add(1)).runId)).status, 'succeeded');
  await worker.stop();
}

/** Commands have their own word for how it went, and need no more than a warning. */
const run = (stage: Stage, shell: string): Running => startShell({ ...stage.env, LOG_LEVEL: 'warn' }, shell);

/** What may not be set, what else is set for it, and what is said. */
const WRONG: readonly (readonly [env: Record<string, string>, said: RegExp])[] = [
  [{ RUN_LEASE_SECONDS: 'soon' }, /RUN_LEASE_SECONDS: got "soon"; a whole number from 1 to 3600/],
  [
    { DATABASE_URL: 'mysql://u:canary-password@127.0.0.1/x' },
    /DATABASE_URL: got "\(hidden\)"; a URL such as postgres:/,
  ],
  [
    { SEARCH_API_KEY: '', SEARCH_API_KEY_FILE: '/no/such/file' },
    /SEARCH_API_KEY_FILE: .*can be read \(ENOENT\)/,
  ],
];

export const COMMAND_LINE: readonly Row[] = [
  {
    id: 'F81',
    title: 'an export killed midway leaves the existing file unchanged; the next one replaces it atomically',
    core: true,
    seconds: 90,
    play: async (stage) => {
      await found(stage, 3_000);
      const folder = path.join(stage.directory, 'out');
      await mkdir(folder);
      const target = path.join(folder, 'posts.csv');
      await writeFile(target, 'of yesterday');
      stage.wires.postgres.watch(({ from, bytes }) => {
        // Slow from its first rows on: there is a half to be killed in.
        if (from === 'server' && bytes.length > 8_000) stage.wires.postgres.throttle(200_000);
        return 'pass';
      });
      const killed = run(stage, `strandline export posts --out ${target}`);
      await stage.until('half of it is written', async () => {
        const partial = (await readdir(folder)).find((name) => name.endsWith('.partial'));
        return partial !== undefined && (await stat(path.join(folder, partial))).size > 0;
      });
      killed.kill('SIGKILL');
      await killed.ended;
      assert.equal(await readFile(target, 'utf8'), 'of yesterday');

      stage.wires.postgres.watch(undefined);
      stage.wires.postgres.pass();
      const { code, stderr } = await run(stage, `strandline export posts --out ${target}`).ended;
      assert.equal(code, 0, stderr);
      assert.equal((await readFile(target, 'utf8')).trimEnd().split('\n').length, 3_001);
    },
  },
  {
    id: 'F81 reader',
    title: 'a closed pipe is not an error and prints nothing; a full disk is an error with an explanation',
    core: true,
    play: async (stage) => {
      await found(stage, 3_000);
      const cut = await run(stage, 'strandline export posts | head -1').ended;
      assert.deepEqual([cut.code, cut.stderr, cut.stdout.trimEnd().split('\n').length], [0, '', 1]);
      const full = await run(stage, 'strandline export posts > /dev/full').ended;
      assert.deepEqual([full.code, full.stdout], [1, '']);
      assert.match(full.stderr, /^error: cannot write to stdout: .*ENOSPC/);
    },
  },
  {
    id: 'F81 run',
    title: 'a manual run whose command was killed is executed by a worker',
    core: true,
    play: async (stage) => {
      await found(stage, 1);
      stage.service.answers([silent, ownPosts]);
      const command = run(stage, 'strandline search run search-1 --wait');
      await stage.until('its call is under way', () => Promise.resolve(stage.service.asked.length === 2));
      command.kill('SIGKILL');
      await command.ended;
      await stage.start();
      const [{ id }] = await stage.rows(`SELECT id FROM strandline.runs WHERE trigger = 'manual'`);
      const ended = await stage.ended(id);
      assert.deepEqual([ended.status, ended.fence], ['succeeded', 2]);
      assert.deepEqual(await stage.calls(id), ['unknown', 'received']);
    },
  },
  {
    id: 'F82',
    title:
      'a worker with an invalid setting does not start: it exits with 2, names the variable, and shows no secret',
    core: true,
    play: async (stage) => {
      for (const [wrong, said] of WRONG) {
        const { code, stdout, stderr } = await startShell({ ...stage.env, ...wrong }, 'strandline worker')
          .ended;
        assert.deepEqual([code, stdout], [2, ''], stderr);
        assert.match(stderr, said);
        assert.ok(!stderr.includes('canary'));
      }
    },
  },
];
