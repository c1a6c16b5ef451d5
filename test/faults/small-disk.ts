/** A disk that can be full without harming others. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chown, mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import type { Stage } from './stage.ts';

const run = promisify(execFile);
const SYS_ADMIN = 21n;

/** Whether this process may mount: as root, if its container allows it. */
export function mayMount(): boolean {
  try {
    const rights = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return rights !== undefined && ((BigInt(`0x${rights}`) >> SYS_ADMIN) & 1n) === 1n;
  } catch {
    return false;
  }
}

export type SmallDisk = { fill(): Promise<void>; free(): Promise<void> };

/** Plays with all tables of the row on a disk of 96 MB, and brings them back when it is over. */
export async function onSmallDisk(stage: Stage, play: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = path.join(stage.postgres.home, 'small');
  const space = path.join(disk, 'tables');
  const filling = path.join(disk, 'filling');
  await mkdir(disk);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=755', 'tmpfs', disk]);
  try {
    const { uid, gid } = await stat(stage.postgres.dataDirectory);
    await mkdir(space);
    await chown(space, uid, gid);
    const [{ name }] = await stage.rows('SELECT current_database() AS name');
    const admin = await connect(withDatabase(stage.postgres.superuserUrl, name), 'faults');
    const moveAll = async (from: string, to: string) => {
      for (const kind of ['TABLE', 'INDEX'])
        await admin.query(`ALTER ${kind} ALL IN TABLESPACE ${from} SET TABLESPACE ${to}`);
    };
    try {
      await admin.query(`CREATE TABLESPACE small LOCATION '${space}'`);
      await moveAll('pg_default', 'small');
      await play({
        fill: async () => {
          const { bavail, bsize } = await statfs(disk);
          // Less than was free a moment ago may be left by now: workers write, too.
          await writeFile(filling, Buffer.alloc(bavail * bsize)).catch((error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOSPC') throw error;
          });
        },
        free: () => rm(filling),
      });
    } finally {
      await rm(filling, { force: true });
      // Tables are moved one after the other: whoever works meanwhile would lock them in another order.
      await Promise.all(stage.workers().map((worker) => worker.stop()));
      await moveAll('small', 'pg_default');
      await admin.query('DROP TABLESPACE small');
      await admin.end();
    }
  } finally {
    await run('umount', ['--lazy', disk]);
  }
}
