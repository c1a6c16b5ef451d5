/** When a search is due, and how what a person wrote about it is read. */
import { collectProblems, InvalidInput, type Problem } from '../../errors.ts';
import { readCron, tidyCron } from './cron.ts';
import { phaseOf, readInterval, SHORTEST_SECONDS } from './interval.ts';
import { readZone } from './zone.ts';

/**
 * Times on a local clock (`cron`: five fields; `tz`: a name of {@link readZone}), or a rhythm of real
 * time: every `seconds`, at those instants whose seconds since 1970 leave the remainder `phase`.
 */
export type Schedule =
  | { readonly kind: 'cron'; readonly cron: string; readonly tz: string }
  | { readonly kind: 'every'; readonly seconds: number; readonly phase: number };

/** What a person wrote: `cron` (with `tz`, otherwise UTC) or `every`, and the search's slug. */
export type ScheduleAsWritten = {
  cron?: string | undefined;
  tz?: string | undefined;
  every?: string | undefined;
  slug: string;
};

/**
 * Reads a schedule that a person wrote.
 * @throws InvalidInput with everything that is wrong with it, and what to write instead.
 */
export function parseSchedule({ cron, tz, every, slug }: ScheduleAsWritten): Schedule {
  if ((cron === undefined) === (every === undefined)) {
    const given = cron === undefined ? undefined : { cron, every };
    throw new InvalidInput([
      { path: 'schedule', given, expected: 'either a cron expression or an interval' },
    ]);
  }
  const problems: Problem[] = [];
  const schedule = every === undefined ? readTimes(cron ?? '', tz ?? 'UTC', problems) : readEvery();
  if (problems.length > 0) throw new InvalidInput(problems);
  return schedule;

  function readEvery(): Schedule {
    if (tz !== undefined) problems.push({ path: 'tz', given: tz, expected: 'none: an interval has no zone' });
    const seconds = collectProblems(problems, () => readInterval(every ?? ''), SHORTEST_SECONDS);
    return { kind: 'every', seconds, phase: phaseOf(slug, seconds) };
  }
}

function readTimes(cron: string, tz: string, problems: Problem[]): Schedule {
  collectProblems(problems, () => readCron(cron), undefined);
  return { kind: 'cron', cron: tidyCron(cron), tz: collectProblems(problems, () => readZone(tz), 'UTC') };
}
