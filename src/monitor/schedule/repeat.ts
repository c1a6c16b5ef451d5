import { FAR_FUTURE, nextSlot } from './cadence.ts';
import { readSchedule } from './schedule.ts';

/**
 * What the queue asks for the next time of a search: its schedule travels in the job scheduler's
 * `pattern`, as {@link import('./schedule.ts').writeSchedule} writes it. An exception or no answer would
 * end the scheduler for ever, so whatever cannot be read is due in the far future; the tick then marks
 * the search as broken.
 * @param millis the instant after which it is asked for
 */
export function repeatStrategy(millis: number, { pattern }: { pattern?: string }): number {
  try {
    return nextSlot(readSchedule(pattern ?? ''), millis);
  } catch {
    return FAR_FUTURE;
  }
}
