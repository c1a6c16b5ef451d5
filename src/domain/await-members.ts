/**
 * The results of work that goes on at the same time, under the names of its parts: `Promise.all` of an object.
 * @throws the first failure
 */
export async function awaitAll<Parts extends object>(
  parts: Parts,
): Promise<{ [Name in keyof Parts]: Awaited<Parts[Name]> }> {
  const results = await Promise.all(
    Object.entries(parts).map(async ([name, part]: [string, unknown]) => [name, await part] as const),
  );
  return Object.fromEntries(results) as { [Name in keyof Parts]: Awaited<Parts[Name]> }; // under the same names
}
