/**
 * The page that a link shows. It is requested from this server on behalf of a visitor who may only read, so that every page that
 * can be shared is rendered by its own route; its address comes from the database, and nothing of the client's request does.
 */
import { removeMount } from '../../model/mount.ts';
import { Refused } from '../../model/errors.ts';
import type { ClosedShare } from '../../monitor/access/manage-shares.ts';
import { openAsShared } from '../../monitor/access/shared-visitor.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { parseCookies } from '../components/page-frame.tsx';
import { preventCaching, renderPage } from '../components/page-layout.tsx';
import { EmptyState } from '../components/section.tsx';

const CLOSED: Readonly<Record<ClosedShare, [title: string, words: string]>> = {
  revoked: ['This link was revoked', 'It no longer shows a page. Ask who sent it for another.'],
  expired: ['This link has expired', 'It no longer shows a page. Ask who sent it for another.'],
  gone: ['This page was removed', 'What this link showed no longer exists.'],
};

export function addSharedPage(app: App, { mount = '' }: RouteContext): void {
  // No schema: a problem of the address would quote the key.
  app.get('/shared/:key', { config: { scope: 'open' }, onSend: preventCaching }, async (request, reply) => {
    const { key = '' } = request.params as { key?: string }; // one step of the path
    reply.header('x-robots-tag', 'noindex, nofollow');
    const opened = await app.access.openShare(key, request.clientAddress);
    const page = typeof opened === 'string' ? opened : await read(opened, request.headers.cookie);
    if (typeof page === 'string') {
      const [title, words] = CLOSED[page];
      return renderPage(request, reply, { title, here: '', status: 410, body: <EmptyState words={words} /> });
    }
    return reply.type('text/html; charset=utf-8').send(page.html);
  });

  /** @throws Refused `unavailable` */
  async function read(
    share: { prefix: string; expires_at: Date; address: string },
    cookie: string | undefined,
  ): Promise<{ html: string } | 'gone'> {
    const { zone, theme } = parseCookies(cookie);
    const cookies = { ...(zone === undefined ? {} : { zone }), ...(theme === undefined ? {} : { theme }) };
    const request = (url: string) =>
      openAsShared(share, async () => app.inject({ method: 'GET', url, cookies }));
    let reply = await request(share.address);
    const [path = ''] = share.address.split('?');
    // Of a page that writes its address in another way.
    const { location } = reply.headers;
    if (reply.statusCode === 303 && typeof location === 'string') {
      const next = removeMount(mount, location) ?? location;
      if (next.split('?')[0] === path) reply = await request(next);
    }
    if (reply.statusCode === 200) return { html: reply.body };
    if (reply.statusCode === 404 || reply.statusCode === 400) return 'gone';
    throw new Refused('unavailable', 'this page cannot be shown at the moment');
  }
}
