/** A whole page, sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { forgetDone } from './done.tsx';
import { FrameProvider } from './frame.ts';
import { Layout, type LayoutProps } from './layout.tsx';
import { isUnchanged } from './unchanged.ts';

/**
 * `title`: what the page is about, in a word or a name; it is its heading too. `here`: the path among the
 * navigation's that this page belongs to. `charts`: it has a `Chart`. `live`: which events it follows.
 */
export type Shown = LayoutProps & {
  /** 200 where left out. */
  status?: number;
};

/**
 * Renders a page in the layout and sends it, or 304 where the browser has it as it is; text of others is only ever text, for
 * preact escapes what it prints.
 */
export function showPage(request: FastifyRequest, reply: FastifyReply, page: Shown): FastifyReply {
  const { status = 200, ...shown } = page;
  const { done, formToken, visitor } = request.frame;
  if (done !== null) forgetDone(reply);
  const html = renderToString(
    <FrameProvider value={request.frame}>
      <Layout {...shown} />
    </FrameProvider>,
  );
  // Kept by this browser alone, which asks each time whether it is still so.
  reply.header('cache-control', 'private, no-cache').header('vary', 'cookie, accept-encoding');
  // What was just done is said once, and what failed is asked for again: neither is kept to be compared.
  if (status === 200 && done === null) {
    const shownTo = request.server.access.tagFor(
      visitor,
      formToken === '' ? html : html.replaceAll(formToken, ''),
    );
    if (isUnchanged(request, reply, shownTo)) return reply.code(304).send();
  }
  return reply.code(status).type('text/html; charset=utf-8').send(`<!doctype html>${html}`);
}
