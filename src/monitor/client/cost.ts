/** More than this for one call is a mistake in a header, not a price. */
const ABSURD_USD = 1_000;
const ABSURD_COUNT = 1e9;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * What a service says a call cost, by headers such as `X-<Name>-Cost-Usd` and `X-<Name>-Usage-Count`.
 * Null where they are absent or hold no believable number: unknown is not free.
 */
export function readCost(headers: Headers): { costUsd: number | null; usageCount: number | null } {
  const count = numberIn(headers, /^x-.*usage-count$/i, ABSURD_COUNT);
  return {
    costUsd: numberIn(headers, /^x-.*cost-usd$/i, ABSURD_USD),
    usageCount: count !== null && Number.isInteger(count) ? count : null,
  };
}

function numberIn(headers: Headers, name: RegExp, most: number): number | null {
  const text = Object.entries(headers).find(([header]) => name.test(header))?.[1];
  if (typeof text !== 'string' || !/^\s*\d{1,12}(?:\.\d{1,12})?(?:e-\d)?\s*$/i.test(text)) return null;
  return Number(text) <= most ? Number(text) : null;
}
