/** A web site on this machine that answers as a test instructs, at an origin of its own, with a robots.txt. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type SiteAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** HTML with these headers. */
export function html(
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  status = 200,
): SiteAnswer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(body);
  };
}

/** Never responds. */
export const hang: SiteAnswer = () => {};

/** @param answers by path; others are 404, also `/robots.txt` */
export async function startSite(answers: Record<string, SiteAnswer>) {
  const asked: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push({ path, headers: request.headers });
    const answer = answers[path] ?? html('Not found', {}, 404);
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  const url = `http://127.0.0.1:${port}`;
  return { url, asked, paths: () => asked.map(({ path }) => path), answers };
}
