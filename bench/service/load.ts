/** Many calls, some at a time, and what they took. */
import { Pool } from 'undici';

export type Call = { path: string; body: object };
export type Load = { perSecond: number; ms: number[]; bytes: number };

/** Calls in turn for so many milliseconds. @throws where an answer is not 200 */
export async function load(
  url: string,
  calls: readonly Call[],
  { lanes, forMs }: { lanes: number; forMs: number },
): Promise<Load> {
  const pool = new Pool(url, { connections: lanes, pipelining: 1 });
  const ms: number[] = [];
  let bytes = 0;
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (performance.now() - began < forMs) {
        const { path, body } = calls[next++ % calls.length] ?? { path: '/', body: {} };
        const before = performance.now();
        const answer = await pool.request({
          path,
          method: 'POST',
          headers: { authorization: 'bench', 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const read = await answer.body.arrayBuffer();
        ms.push(performance.now() - before);
        bytes += read.byteLength;
        if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  await pool.close();
  return { perSecond: ms.length / seconds, ms: ms.sort((a, b) => a - b), bytes: bytes / ms.length };
}

/** @param share 0.95 for the 95th percentile; of sorted values */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
