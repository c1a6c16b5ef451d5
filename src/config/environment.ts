/** The one file that reads the environment, apart from what its variables mean: that is `config.ts`, which not every command loads. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
