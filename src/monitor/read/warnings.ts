import { UNANSWERED } from '../../contract/extras.ts';
import { isPlain } from '../../contract/plain.ts';
import { clean } from '../../contract/text.ts';
import type { Findings, Warning } from './findings.ts';
import { readText, readWord } from './text.ts';

const WARNINGS_MAX = 100;

/** What the service says was not as asked: a list of objects or of texts. Never fails. */
export function readWarnings(warnings: unknown): Warning[] {
  if (!Array.isArray(warnings)) return [];
  return warnings.slice(0, WARNINGS_MAX).flatMap((warning: unknown) => {
    if (typeof warning === 'string') return [{ code: null, tool: null, message: clean(warning, 2_000) }];
    if (!isPlain(warning)) return [];
    const { code, tool, message } = warning;
    return [{ code: readWord(code), tool: readWord(tool), message: readText(message, 2_000) }];
  });
}

/**
 * Why an answer says nothing at all: it holds no item, and the service warns of each tool that was asked
 * that nobody answered. Such an answer did not look, and must not count as "there was nothing". Null where
 * anybody answered.
 * @param tools how many different tools were asked; 1 for operation B
 */
export function nobodyAnswered(
  found: Pick<Findings, 'itemsSeen' | 'warnings'>,
  tools: number,
): string | null {
  if (found.itemsSeen > 0) return null;
  const unanswered = found.warnings.filter(({ code }) => code === UNANSWERED);
  if (new Set(unanswered.map(({ tool }) => tool)).size < tools) return null;
  const why = found.warnings.filter(({ code }) => code !== UNANSWERED);
  return (why.length > 0 ? why : unanswered)
    .map(({ tool, message }) => [tool, message].filter((part) => part !== null).join(': '))
    .join('; ');
}
