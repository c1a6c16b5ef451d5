/** Finds names that entered the answers of searches, or left them, after runs whose answers were read. */
import type { Id, Transaction } from '../../store/db/database.ts';
import { readNameHistories } from '../../store/derive/read-answer-names.ts';
import type { NewNameChange } from '../../store/derive/trend-reports.ts';
import { composeNameSentence, findNameChange, MAX_COMPARED_ANSWERS } from '../trends/rules/name-changes.ts';

/** @param runs in the order of their responses */
export async function findNameChanges(
  tx: Transaction,
  runs: readonly { run_id: Id; search_id: Id; at: Date }[],
): Promise<NewNameChange[]> {
  const found: NewNameChange[] = [];
  for (const { run_id, search_id, at } of runs)
    for (const { name_id, name, service, has, reported } of await readNameHistories(
      tx,
      run_id,
      MAX_COMPARED_ANSWERS,
    )) {
      const earlier = found.findLast(
        (change) => change.search_id === search_id && change.name_id === name_id,
      );
      const change = findNameChange(has, earlier?.change ?? reported);
      if (change === null) continue;
      const sentence = composeNameSentence(change, { name, service, at });
      found.push({ search_id, run_id, at, name_id, name, ...change, sentence });
    }
  return found;
}
