/** Replies as the document shows them: real replies over the small world of the tests, shortened for readers. */
import { writeFile } from 'node:fs/promises';

const FILE = new URL('../../../src/api/openapi/examples.json', import.meta.url);
const ITEMS = 1;
const LETTERS = 160;

/** `npm run -s api:examples` writes them. */
export const writing = process.env['STRANDLINE_EXAMPLES'] === 'write';

export async function writeExamples(replies: ReadonlyMap<string, unknown>): Promise<void> {
  const sorted = [...replies].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const told = Object.fromEntries(sorted.map(([operation, reply]) => [operation, shortened(reply)]));
  await writeFile(FILE, `${JSON.stringify(told, null, 1)}\n`);
}

/** One item of a list, the beginning of a text, no secret, and no address of the machine that wrote it. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, ITEMS).map(shortened);
  if (typeof value === 'string') return shortText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
}

function shortText(text: string): string {
  const [, kind] = /^(st_|whsec_)[\w+/=]{20,}$/.exec(text) ?? [];
  if (kind !== undefined) return `${kind}${'0'.repeat(32)}`;
  const told = text
    .replaceAll(/127\.0\.0\.1:\d+/g, 'alerts.example')
    .replaceAll(/\b(fd|sh)_\w{51}/g, `$1_${'0'.repeat(51)}`)
    .replaceAll(/test_[\da-f]{16}/g, 'strandline');
  return told.length > LETTERS ? `${told.slice(0, LETTERS - 1).toWellFormed()}…` : told;
}
