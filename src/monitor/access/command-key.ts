/** Authenticates commands by the key of the server of their data directory, which only their account can read. */
import { hashKey, isKeyOf } from '../../platform/keys.ts';
import type { Access } from './authentication.ts';
import { Denied, expandScopes, SCOPES } from './visitor-scopes.ts';

/** @param access for what pages need, which no command does */
export function acceptCommands(access: Access, key: string): Access {
  const hash = hashKey(key);
  return {
    ...access,
    visitorOf: async ({ token, account }) => {
      if (token === undefined || !isKeyOf(token, hash))
        throw new Denied('unknown_visitor', 'this is not the key of the running server');
      return { kind: 'command_line', scopes: expandScopes(SCOPES), name: readAccount(account) };
    },
  };
}

const MAX_ACCOUNT = 200;

/** It was percent-encoded. */
function readAccount(header: string | undefined): string {
  try {
    return decodeURIComponent(header ?? '').slice(0, MAX_ACCOUNT) || 'unknown';
  } catch {
    return 'unknown';
  }
}
