import { readShortFile } from '../contract/short-file.ts';
import { InvalidInput } from '../errors.ts';

/**
 * The secrets that stand in files: of each of these variables where one with `_FILE` behind its name is set.
 * @throws InvalidInput where both are set, or the file cannot be read
 */
export function secretsFromFiles(
  variables: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const read: Record<string, string> = {};
  for (const name of variables) {
    const file = env[`${name}_FILE`];
    if (file === undefined || file.trim() === '') continue;
    const refused = (expected: string) => new InvalidInput([{ path: `${name}_FILE`, given: file, expected }]);
    if (env[name] !== undefined && env[name].trim() !== '')
      throw refused(`set either ${name} or ${name}_FILE, not both`);
    try {
      read[name] = readShortFile(file.trim()).trim();
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : 'it could not be read';
      throw refused(`a file that can be read (${why})`);
    }
  }
  return read;
}
