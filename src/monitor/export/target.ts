import { lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { InvalidInput, Refused } from '../../errors.ts';

/** Where files go: a folder, in which they have names of ours, or one file. */
export type Target = { folder: string; file: string | undefined };

/**
 * A name is a folder where it ends in a slash, is one already, or must be one; a folder that is not there is made.
 * @throws InvalidInput for what is there and is no plain file: it would be replaced, not written into
 */
export async function openTarget(out: string, mustBeFolder: boolean): Promise<Target> {
  const there = await stat(out).catch(() => undefined);
  const isFolder = there?.isDirectory() === true || mustBeFolder || /[/\\]$/.test(out);
  if (isFolder) {
    await mkdir(out, { recursive: true }).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new Refused('conflict', `the folder ${out} cannot be made (${code})`);
    });
    return { folder: out, file: undefined };
  }
  const itself = await lstat(out).catch(() => undefined);
  if (itself !== undefined && !itself.isFile())
    throw new InvalidInput([{ path: 'out', given: out, expected: 'a plain file, a folder, or a new name' }]);
  return { folder: path.dirname(out), file: path.basename(out) };
}
