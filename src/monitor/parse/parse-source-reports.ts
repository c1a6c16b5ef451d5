/** Reports of our own service about the sources of a topic. */
import type { ParsedSourceReport } from '../../model/parsed-results.ts';
import { cleanText } from '../../lib/text.ts';
import { MAX_OWN_SOURCES, ownSourceReport } from '../../protocol/own-sources.ts';
import { z } from 'zod';

const MAX_TITLE = 300;
const MAX_PROBLEM = 500;

/** Reports that can be read; a service that does not know the extension has none. */
export function parseSourceReports(reports: unknown): ParsedSourceReport[] {
  if (!Array.isArray(reports)) return [];
  return reports.slice(0, MAX_OWN_SOURCES).flatMap((report: unknown) => {
    const parsed = z.safeParse(ownSourceReport, report);
    if (!parsed.success) return [];
    const { id, state, title, entries, newest = null, problem } = parsed.data;
    const at = newest === null || Number.isNaN(Date.parse(newest)) ? null : newest;
    return [
      {
        id,
        state,
        title: cleanText(title, MAX_TITLE),
        entries,
        newest: at,
        problem: problem === undefined ? null : cleanText(problem, MAX_PROBLEM),
      },
    ];
  });
}
