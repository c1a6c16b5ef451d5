/** Cookies are shared between ports: other programs on this machine can set any of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { openStand } from '../access/stand.ts';

const stand = await openStand({ hosted: 'http://127.0.0.1:1' });
let app: App;
beforeAll(async () => {
  app = await buildHttpServer(homeOf(stand.world), WEB);
  const written = { slug: 'ferry-posts', topic: 'ferry', operation: 'microblog', prompt: 'ferry' } as const;
  await createSearch(stand.world.ctx, { ...written, every: '1h' });
});
afterAll(async () => {
  await app.close();
  await stand.close();
});

test.each([
  ['a last visit for every id', 'visit=9999999999999999999.999999999999.9999999999999999999.999999999999'],
  ['an old last visit for every id', 'visit=9999999999999999999.1.9999999999999999999.1'],
  ['a current last visit for every id', 'visit=-.0.9999999999999999999.1795262400'],
  ['an unknown action', 'done=constructor'],
  ['another unknown action', 'done=__proto__'],
  ['an unknown time zone', 'zone=%3Cscript%3E'],
  ['an undecodable time zone', 'zone=%E0%A4%A'],
  ['an unknown theme', 'theme=%22onload%3Dx'],
  ['a prototype', '__proto__=x; constructor=y; toString=z'],
  ['an invalid session', 'strandline=%00'],
  ['a long session', `strandline=${'x'.repeat(8_000)}`],
  ['five hundred', Array.from({ length: 500 }, (_, i) => `c${i}=1`).join('; ')],
])('%s breaks no page', async (_what, cookie) => {
  for (const url of ['/', '/topics/ferry', '/runs', '/explore?q=a', '/alerts', '/system']) {
    const answer = await app.inject({ url, headers: { cookie } });
    expect(answer.statusCode, url).toBe(200);
    expect(answer.body).not.toContain('<script>');
  }
});
