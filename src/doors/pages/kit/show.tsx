/** A whole page, sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { forgetDone } from './done.tsx';
import { FrameProvider } from './frame.ts';
import { Layout, type LayoutProps } from './layout.tsx';

/**
 * `title`: what the page is about, in a word or a name; it is its heading too. `here`: the path among the
 * navigation's that this page belongs to. `charts`: it has a `Chart`. `live`: which events it follows.
 */
export type Shown = LayoutProps & {
  /** 200 where left out. */
  status?: number;
};

/** Renders a page in the layout and sends it; text of others is only ever text, for preact escapes what it prints. */
export function showPage(request: FastifyRequest, reply: FastifyReply, page: Shown): FastifyReply {
  const { status = 200, ...shown } = page;
  if (request.frame.done !== null) forgetDone(reply);
  const html = renderToString(
    <FrameProvider value={request.frame}>
      <Layout {...shown} />
    </FrameProvider>,
  );
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'private, no-cache')
    .send(`<!doctype html>${html}`);
}
