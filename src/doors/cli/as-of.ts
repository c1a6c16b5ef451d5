import type { DerivedUntil } from '../../store/derive/until.ts';
import { isBehind, oldestOf } from '../../store/derive/until.ts';
import type { Cli } from './cli.ts';
import { when } from './words.ts';

/** Says up to when figures are derived, where that is not up to now. */
export function tellAsOf(cli: Cli, searches: readonly DerivedUntil[], now: Date): void {
  const until = oldestOf(searches);
  if (until !== null && isBehind(until, now))
    cli.page.say(`figures as of ${when(until, now, cli.page)}: later runs are still being counted`);
}
