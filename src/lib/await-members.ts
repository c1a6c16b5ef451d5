/**
 * Awaits the members of an object, which run concurrently, and returns their results under the same names. Not for
 * statements of a transaction: see `awaitAll` in store/db/database.ts.
 * @throws the first failure
 */
export async function awaitMembers<Parts extends Readonly<Record<string, unknown>>>(
  parts: Parts,
): Promise<{ [Name in keyof Parts]: Awaited<Parts[Name]> }> {
  const results = await Promise.all(
    Object.entries(parts).map(async ([name, part]) => [name, await part] as const),
  );
  return Object.fromEntries(results) as { [Name in keyof Parts]: Awaited<Parts[Name]> }; // under the same names
}
