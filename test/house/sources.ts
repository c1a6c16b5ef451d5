import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export const REPOSITORY = path.resolve(import.meta.dirname, '../..');

export type Source = { file: string; text: string };
/** What a file imports: a file of ours (`src/...`) or a package; `type` where only types are used. */
export type Import = { target: string; type: boolean };

/** Every TypeScript file below `src`, by its path from the repository, without its comments. */
export async function readSources(): Promise<Source[]> {
  const names = await readdir(path.join(REPOSITORY, 'src'), { recursive: true });
  const files = names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `src/${name.replaceAll('\\', '/')}`);
  return Promise.all(
    files.toSorted().map(async (file) => {
      const text = await readFile(path.join(REPOSITORY, file), 'utf8');
      return { file, text: withoutComments(text) };
    }),
  );
}

const STRING_OR_COMMENT =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?<!\\)\/\/[^\n]*/g;

/** Comments go; strings stay, for `'*' + '/15'` written as a cron expression opens no comment. */
export function withoutComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, (found) => (found.startsWith('/') ? ' ' : found));
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?((?:[\w$*]|[\s,{}])*?)\s*from\s*(['"])([^'"]+)\3/gm;
const BARE = /^\s*import\s*(['"])([^'"]+)\1/gm;
/** `await import('...')` and `import('...').Type`: both are counted as values, for they look the same. */
const DYNAMIC = /\bimport\s*\(\s*(['"`])([^'"`]+)\1/g;

/** What this text imports, by any spelling. */
export function importsOf({ file, text }: Source): Import[] {
  const at = (specifier: string) =>
    specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
  return [
    ...[...text.matchAll(STATEMENT)].map(([, type, names = '', , specifier = '']) => ({
      target: at(specifier),
      type: type !== undefined || onlyTypes(names),
    })),
    ...[BARE, DYNAMIC].flatMap((spelling) =>
      [...text.matchAll(spelling)].map(([, , specifier = '']) => ({ target: at(specifier), type: false })),
    ),
  ];
}

/** `{ type A, type B }` */
function onlyTypes(names: string): boolean {
  const inside = /^\{([^{}]*)\}$/.exec(names.trim())?.[1];
  const each = inside
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return each !== undefined && each.length > 0 && each.every((name) => name.startsWith('type '));
}
