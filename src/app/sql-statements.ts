/**
 * Statements of visitors over the SQL contract, as `http-server.ts` gives them to its routes: each visitor's share of them, and
 * their end when the client leaves. The child process that runs them belongs to `store/reader/reader-host.ts`.
 */
import path from 'node:path';
import { connectionEnvironment } from '../config/config.ts';
import { Refused } from '../domain/errors.ts';
import { CLIENT_LEFT } from '../store/reader/ask-reader.ts';
import { openReaderHost } from '../store/reader/reader-host.ts';
import { abortOnClose } from '../platform/http/raw-reply.ts';
import type { Share, Statements, RouteContext } from '../monitor/http/route-types.ts';

/** The program of the child process: TypeScript where we run from source, JavaScript where we are built. */
const READER_PROGRAM = new URL(`../web/reader-process${path.extname(import.meta.url)}`, import.meta.url);

export function openStatements(
  home: Pick<RouteContext, 'ctx' | 'readerUrl'>,
  share: Share,
): Statements & { close(): Promise<void> } {
  const host = openReaderHost({ program: READER_PROGRAM, env: connectionEnvironment(), log: home.ctx.log });
  return {
    ask: async (request, reply, statement) => {
      const url = home.readerUrl();
      if (url === null) throw new Refused('unavailable', 'SQL is not available: set DATABASE_READER_URL');
      const signal = abortOnClose(reply);
      if (signal.aborted) throw new Refused('conflict', CLIENT_LEFT);
      const release = share.take(request);
      try {
        return await host.ask({ ...statement, url, signal });
      } finally {
        release();
      }
    },
    close: () => host.close(),
  };
}
