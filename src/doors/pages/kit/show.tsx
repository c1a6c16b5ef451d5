/** A whole page, sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Layout } from './layout.tsx';

export type Shown = {
  /** What the page is about, in a word or a name; it stands before the program's own in the window's title. */
  title: string;
  /** The path among the navigation's that this page belongs to. */
  here: string;
  body: ComponentChildren;
  /** 200 where left out. */
  status?: number;
};

/** Renders a page in the layout and sends it; text of others is only ever text, for preact escapes what it prints. */
export function showPage(request: FastifyRequest, reply: FastifyReply, page: Shown): FastifyReply {
  const html = renderToString(<Layout {...page} visitor={request.visitor} />);
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>${html}`);
}
