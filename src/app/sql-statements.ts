/**
 * SQL statements of visitors: limits each visitor's share.
 * `store/reader/reader-host.ts` manages the child process that runs them.
 */
import path from 'node:path';
import { connectionEnvironment } from '../config/config.ts';
import { Refused } from '../model/errors.ts';
import { CLIENT_LEFT } from '../store/reader/ask-reader.ts';
import { openReaderHost } from '../store/reader/reader-host.ts';
import type { Share, Statements, RouteContext } from '../monitor/http/route-types.ts';

/** Entry file of the child process: TypeScript when running from source, JavaScript when built. */
const READER_PROGRAM = new URL(`../web/reader-process${path.extname(import.meta.url)}`, import.meta.url);

export function openStatements(
  home: Pick<RouteContext, 'ctx' | 'readerUrl'>,
  share: Share,
): Statements & { close(): Promise<void> } {
  const host = openReaderHost({ program: READER_PROGRAM, env: connectionEnvironment(), log: home.ctx.log });
  return {
    ask: async (request, statement) => {
      const url = home.readerUrl();
      if (url === null) throw new Refused('unavailable', 'SQL is not available: set DATABASE_READER_URL');
      if (statement.signal.aborted) throw new Refused('conflict', CLIENT_LEFT);
      const release = share.take(request);
      try {
        return await host.ask({ ...statement, url });
      } finally {
        release();
      }
    },
    close: () => host.close(),
  };
}
