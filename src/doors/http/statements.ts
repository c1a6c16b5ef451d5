/** Statements of visitors over the SQL contract: who may have how many at a time, and that they end when nobody waits. */
import { certificateEnvironment } from '../../config.ts';
import { Refused } from '../../errors.ts';
import { openReaderHost } from '../../store/reader/host.ts';
import type { Share, Statements, WebHome } from '../routes.ts';

/** Beside this folder's parent, compiled or not, as this file is. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../reader-process.ts' : '../../reader-process.js',
  import.meta.url,
);

export function openStatements(
  home: Pick<WebHome, 'ctx' | 'readerUrl'>,
  share: Share,
): Statements & { close(): Promise<void> } {
  const host = openReaderHost({ program: PROGRAM, env: certificateEnvironment(), log: home.ctx.log });
  return {
    ask: async (request, reply, statement) => {
      const { readerUrl: url } = home;
      if (url === null)
        throw new Refused('unavailable', 'no login of a reader is known here; DATABASE_READER_URL names one');
      const release = share.take(request);
      const leaving = new AbortController();
      const leave = () => leaving.abort();
      reply.raw.once('close', leave);
      try {
        return await host.ask({ ...statement, url, signal: leaving.signal });
      } finally {
        reply.raw.off('close', leave);
        release();
      }
    },
    close: () => host.close(),
  };
}
