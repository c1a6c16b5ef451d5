/** Headers that change with every request: nothing of them may be retained. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { WEB } from '../../../src/app/web-server.ts';
import { openStand } from '../access/stand.ts';

const stand = await openStand();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // what the flag adds

const TIMES = 360;
/** Of one kind of header alone as many come as make 3 MB. */
const LONG = 'x'.repeat(50_000);

const HEADERS: readonly ((n: number) => Record<string, string>)[] = [
  (n) => ({ accept: `text/${LONG}${n}, application/json;q=0.${n}` }),
  (n) => ({ 'accept-encoding': `${LONG}${n}, gzip;q=0.${n}` }),
  (n) => ({ 'accept-language': `${LONG}${n}` }),
  (n) => ({ cookie: `c${n}=${LONG}` }),
  (n) => ({ authorization: `Bearer ${LONG}${n}` }),
  (n) => ({ 'user-agent': `${LONG}${n}` }),
];

test('varying request headers do not fill a cache', async () => {
  const app = await stand.serve(WEB);
  const ask = async (from: number) => {
    for (let n = from; n < from + TIMES; n += 1) {
      const headers = HEADERS[n % HEADERS.length]?.(n) ?? {};
      await app.inject({ url: n % 2 === 0 ? '/livez' : `/api/v1/topics?limit=${n}x`, headers });
    }
  };
  const held = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  await ask(0);
  const before = held();
  await ask(TIMES);
  expect(held() - before).toBeLessThan(2_000_000);
});
