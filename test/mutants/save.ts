import type { Subject } from './mutant.ts';

const FACTS = 'store/save/facts-sql.ts';
const LATE = 'store/save/late-counters.ts';
const ROWS = 'store/save/save-rows.ts';
const SQL = 'store/save/save-sql.ts';

export const SAVE: Subject = {
  name: 'save',
  tests: [
    'test/store/save.test.ts',
    'test/store/versions.test.ts',
    'test/run/late.test.ts',
    'test/store/topic-items.test.ts',
    'test/store/save-again.test.ts',
    'test/store/order.test.ts',
    'test/store/save-together.test.ts',
  ],
  mutants: [
    {
      file: FACTS,
      code: '(k.observed_at > ${now}.observed_at OR ${isConfirmed})',
      by: '(k.observed_at > ${now}.observed_at)',
    },
    { file: FACTS, code: '((${now}.is_partial AND NOT k.is_partial) OR', by: '(false OR' },
    {
      file: FACTS,
      code: 'first_seen_at = least(k.first_seen_at, excluded.first_seen_at)',
      by: 'first_seen_at = k.first_seen_at',
    },
    {
      file: FACTS,
      code: 'is_partial = k.is_partial AND excluded.is_partial',
      by: 'is_partial = excluded.is_partial',
    },
    { file: FACTS, code: "WHEN k.observed_at > r.observed_at THEN 'late'", by: "WHEN false THEN 'late'" },
    { file: FACTS, code: 'c.id = r.id AND c.observed_at > r.observed_at', by: 'c.id = r.id AND false' },
    { file: FACTS, code: 'k.first_seen_at > r.observed_at AS is_earlier', by: 'false AS is_earlier' },
    { file: FACTS, code: 'k.is_partial AND NOT r.is_partial AS becomes_full', by: 'false AS becomes_full' },
    { file: FACTS, code: 'WHERE s.has_versions OR s.stored_at < s.observed_at', by: 'WHERE s.has_versions' },
    { file: FACTS, code: 'WHERE stored_key IS DISTINCT FROM key', by: 'WHERE false' },
    { file: LATE, code: 'l.confirmed_at < next.observed_at)', by: 'l.confirmed_at > next.observed_at)' },
    {
      file: LATE,
      code: 'b.now.at.getTime() - a.now.at.getTime()',
      by: 'a.now.at.getTime() - b.now.at.getTime()',
    },
    { file: LATE, code: 'CASE WHEN n.is_newest THEN', by: 'CASE WHEN true THEN' },
    { file: LATE, code: 'WHERE n.is_repeated AND s.', by: 'WHERE false AND s.' },
    { file: ROWS, code: "if (content[name] === '') content[name] = null;", by: '' },
    {
      file: ROWS,
      code: 'observedAt: at, findings } of responses.toSorted(compareTimes)',
      by: 'observedAt: at, findings } of responses',
    },
    { file: SQL, code: '(g.first_seen_at, g.first_run_id) > ($2, $4) AND g.post_id', by: 'g.post_id' },
    {
      file: SQL,
      code: 'AND s.first_run_id = r.run_id ORDER BY f.n) AS new_posts',
      by: 'ORDER BY f.n) AS new_posts',
    },
    { file: 'store/save/topic-items.ts', code: 'NOT u.baseline OR NOT EXISTS', by: 'NOT EXISTS' },
    {
      file: 'store/save/topic-items.ts',
      code: 'AND key = i.key OFFSET 0) IS NOT TRUE',
      by: 'AND key = i.key OFFSET 0) IS NOT NULL',
    },
  ],
};
