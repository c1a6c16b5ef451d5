/** Runs operations in the process of a command, which has opened the program because no server runs. */
import { loadOperation } from '../app/operations.ts';
import { toJson } from '../lib/json-values.ts';
import { LOCAL_VISITOR } from '../monitor/access/visitor-scopes.ts';
import { invoke } from '../monitor/invoke.ts';
import type { Api } from './api-client.ts';
import type { Config } from '../config/config.ts';
import type { DatabaseKind } from '../model/database-kind.ts';
import { openLocalRuns } from './local-runs.ts';
import { findPublicBase } from './public-base.ts';

export function openDirectApi(
  cli: { page: { kind: DatabaseKind }; config: () => Config },
  program: Parameters<typeof openLocalRuns>[0],
  stopping: AbortSignal,
): Api {
  const { ctx, embedded } = program;
  const call = { ctx, embedded, visitor: LOCAL_VISITOR, stopping, findPublicBase: () => findPublicBase(cli) };
  return {
    here: openLocalRuns(program, stopping),
    now: () => ctx.clock.now(),
    call: async ({ subject, id }, members, page) => {
      const operation = await loadOperation(subject, id);
      const reply = await invoke(operation, call, members, page);
      return JSON.parse(toJson(reply)) as unknown;
    },
    stream: async (spec, members) => (await import('./byte-replies.ts')).openHere(ctx, spec, members),
  };
}
