/** Finds posts that grew as rules ask. Costs one read where no rule does. */
import { parseGrowthCondition } from '../../model/growth-condition.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Id, Transaction } from '../../store/db/database.ts';
import {
  type NewGrowth,
  readGrowthQuestions,
  readPassed,
  readUnusual,
} from '../../store/derive/growth-reports.ts';

/** @param runs results of the batch after which something is reported */
export async function findGrowth(
  tx: Transaction,
  runs: readonly { run_id: Id; search_id: Id; at: Date }[],
): Promise<NewGrowth[]> {
  const questions = (await readGrowthQuestions(tx, runs)).flatMap(({ conditions, ...run }) =>
    conditions.flatMap((condition) => {
      const parsed = parseGrowthCondition(condition);
      return parsed === null ? [] : [{ ...run, condition, ...parsed }];
    }),
  );
  const growth: NewGrowth[] = [];
  const passing = questions.flatMap(({ least, ...question }) =>
    least === null ? [] : [{ ...question, least }],
  );
  for (const [measure, ofMeasure] of groupBy(passing, (question) => question.measure))
    growth.push(...(await readPassed(tx, measure, ofMeasure)));
  const unusual = questions.filter(({ least }) => least === null);
  if (unusual.length > 0) growth.push(...(await readUnusual(tx, unusual)));
  return growth;
}
