/** Statements of visitors over the SQL contract: who may have how many at a time, and that they end when nobody waits. */
import path from 'node:path';
import { connectionEnvironment } from '../../config.ts';
import { Refused } from '../../errors.ts';
import { CLIENT_LEFT } from '../../store/reader/ask.ts';
import { openReaderHost } from '../../store/reader/host.ts';
import { untilClosed } from '../gone.ts';
import type { Share, Statements, WebHome } from '../routes.ts';

/** The program of the child process: TypeScript where we run from source, JavaScript where we are built. */
const PROGRAM = new URL(`../../reader-process${path.extname(import.meta.url)}`, import.meta.url);

export function openStatements(
  home: Pick<WebHome, 'ctx' | 'readerUrl'>,
  share: Share,
): Statements & { close(): Promise<void> } {
  const host = openReaderHost({ program: PROGRAM, env: connectionEnvironment(), log: home.ctx.log });
  return {
    ask: async (request, reply, statement) => {
      const url = home.readerUrl();
      if (url === null) throw new Refused('unavailable', 'SQL is not available: set DATABASE_READER_URL');
      const signal = untilClosed(reply);
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
