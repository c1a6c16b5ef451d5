import type { Config } from '../config/config.ts';
import type { DatabaseKind } from '../model/database-kind.ts';
import { trimEndSlashes } from '../model/links/link.ts';
import { SANDBOX_MOUNT } from '../model/mount.ts';
import { formatAddress } from '../platform/listen.ts';
import { findServer } from './running-server.ts';

/** Where the pages are: `BASE_URL`, or else the running server, or where it would listen; without a slash at its end. */
export async function findPublicBase({
  page,
  config,
}: {
  page: { kind: DatabaseKind };
  config: () => Config;
}): Promise<string> {
  const { http, dataDir } = config();
  const running = http.baseUrl === undefined ? await findServer(dataDir) : undefined;
  const base = trimEndSlashes(http.baseUrl ?? running?.dashboard ?? formatAddress(http.host, http.port));
  return page.kind === 'sandbox' ? `${base}${SANDBOX_MOUNT}` : base;
}
