/** The text of a message about the problems that it reports, when it is composed. */
import {
  addEventsToDelivery,
  readDeliveryEvents,
  type ToldEvent,
} from '../../store/alerts/system-event-rows.ts';
import type { Id, Transaction } from '../../store/db/database.ts';
import type { ReportedProblem } from './message.ts';
import type { ProblemChange } from './problem-words.ts';

/**
 * The problems of a message as they are now. A problem that began and ended before its message was composed is one line that
 * includes its end; a problem that ended in another way than by recovering is left out.
 */
export async function takeProblems(
  tx: Transaction,
  delivery: { id: Id; ruleId: Id; channelId: Id },
): Promise<ReportedProblem[]> {
  const problems = (await readDeliveryEvents(tx, delivery.id)).flatMap((event): ReportedProblem[] => {
    const change = findChange(event);
    return change === null ? [] : [{ ...event, change }];
  });
  const passed = problems.filter(({ change }) => change === 'passed');
  if (passed.length > 0)
    await addEventsToDelivery(
      tx,
      delivery,
      passed.map(({ id }) => ({ event_id: id, part: 'end' })),
    );
  return problems;
}

function findChange({ parts, outcome }: Pick<ToldEvent, 'parts' | 'outcome'>): ProblemChange | null {
  if (!parts.includes('beginning')) return 'ended';
  if (outcome === null) return 'began';
  return outcome === 'recovered' || outcome === 'day_ended' ? 'passed' : null;
}
