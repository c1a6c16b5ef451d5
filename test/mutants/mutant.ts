/** A mutant: the source with one mistake, which tests must notice. */

export type Mutant = {
  /** Path below `src`. */
  file: string;
  /** What is replaced; it stands in the file exactly once. */
  code: string;
  by: string;
};

export type Subject = {
  name: string;
  /** Test files, of which one must fail for each mutant; the quickest first. */
  tests: readonly string[];
  mutants: readonly Mutant[];
};

/** @throws Error: the code is not there, or more than once, so that the mutant has to be written again */
export function mutate(source: string, { file, code, by }: Mutant): string {
  const parts = source.split(code);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${code}`);
  return parts.join(by);
}
