/** The zod type of queries. Pure. */
import { collectProblems, type Problem } from './errors.ts';
import { MAX_QUERY_LENGTH, parseQuery } from './search-query.ts';
import { textParam } from './value-shapes.ts';

/** A query, with what is wrong where it cannot be parsed: `at character 7: ...`. */
export const queryText = textParam(MAX_QUERY_LENGTH).check(({ value, issues }) => {
  const problems: Problem[] = [];
  if (issues.length === 0) collectProblems(problems, () => parseQuery(value), undefined);
  for (const { expected } of problems) issues.push({ code: 'custom', message: expected, input: value });
});
