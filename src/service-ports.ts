/** What the search service needs kept for it, kept in the database. */
import { archiveOf } from './archive.ts';
import type { Clock } from './engine/clock.ts';
import type { ServicePorts } from './service/ports.ts';
import type { Database } from './store/database.ts';
import { giveBackAllowance, takeAllowance, usedAllowance } from './store/source-allowances.ts';
import { nextSourceTurn } from './store/source-turns.ts';

export function portsOf(db: Database, clock: Clock): ServicePorts {
  return {
    allowances: {
      take: (allowance, units) => takeAllowance(db, clock, allowance, units),
      giveBack: (allowance, units) => giveBackAllowance(db, allowance, units),
      used: (allowance) => usedAllowance(db, allowance),
    },
    turns: { next: (source, everyMs, mostMs) => nextSourceTurn(db, source, everyMs, mostMs) },
    archive: archiveOf(db),
  };
}
