/** Words that have no ordinary use here do not come back: each has a standard term. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from './sources.ts';

/** What not to write, and what to write instead. */
const TERMS: readonly (readonly [RegExp, string])[] = [
  [/\bastray\b/i, 'drift'],
  [/\bcall(?:s|ed)? back\b/i, 'reset'],
  [/\bgiven back\b/i, 'released, refunded, retried'],
  [/\bput right\b/i, 'repaired'],
  [/\bquiet sea\b/i, 'nothing new'],
  [/\blooked at at once\b/i, 'run now'],
  [/\bparted by\b/i, 'separated by'],
  [/\bleft without a word\b/i, 'what failed, as an event'],
  [/\bnot as it must be\b/i, 'what is not valid'],
  [/\btells? of\b/i, 'notifies about'],
  [/\bnobody waited for\b/i, 'the client disconnected'],
  [/\b(?:sign of life|take leave)\b/i, 'heartbeat, deregister'],
  [/\bwho may stay\b/i, 'revalidate'],
];
/** A word in quotes is an example: of a search, or of what people write. */
const QUOTED = /"[^"\n]*"|`[^`\n]*`/g;
const READ = /\.(?:tsx?|sql|md|json|js)$/;

async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(path.join(REPOSITORY, folder), { recursive: true });
  return names.filter((name) => READ.test(name)).map((name) => path.join(folder, name));
}

async function findWords(file: string): Promise<string[]> {
  const lines = (await readFile(path.join(REPOSITORY, file), 'utf8')).split('\n');
  return lines.flatMap((line, at) => findTerms(line).map((found) => `${file}:${at + 1}: ${found}`));
}

function findTerms(line: string): string[] {
  const text = line.replaceAll(QUOTED, '');
  return TERMS.flatMap(([word, instead]) => {
    const [found] = word.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}": write ${instead}`];
  });
}

test('user-facing text uses standard terms', async () => {
  const files = [
    ...(await listFiles('src')),
    ...(await listFiles('migrations/views')),
    ...(await listFiles('docs')),
    'README.md',
  ];
  expect(files.length).toBeGreaterThan(500);
  expect((await Promise.all(files.map(findWords))).flat()).toEqual([]);
});

test('detects a word that has a standard term, and names the term', () => {
  expect(findTerms('the run was put right')).toEqual(['"put right": write repaired']);
  expect(findTerms('the run was repaired')).toEqual([]);
});
