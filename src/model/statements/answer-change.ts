/** How a change of a completion is said: what is new, what is no longer said, and which figure changed. Never by its beginning. */
import type { CompletionChange, Statement } from './completion-change.ts';
import { formatCount, formatPercent } from '../../lib/display-format.ts';
import { readStatementWords } from './statement-words.ts';

export const ANSWER_CHANGES = ['added', 'revised', 'removed'] as const;

/** A statement that changed; the text of a revised one has its figures as `25 → 28`. */
export type AnswerChange = { change: (typeof ANSWER_CHANGES)[number]; text: string };

/**
 * The changes of a completion in the order in which they matter: revised figures, new statements, then removed ones, first
 * those that are like something new.
 * @param isNews whether a new or revised statement is reported
 */
export function listAnswerChanges<T extends Statement>(
  { added, revised, gone }: CompletionChange<T>,
  isNews: (statement: T) => boolean,
): AnswerChange[] {
  const reported = added.map(({ statement }) => statement).filter(isNews);
  const reportedWords = new Set(reported.flatMap(({ text }) => [...readStatementWords(text).words]));
  const likeness = (text: string) => {
    const { words } = readStatementWords(text);
    return [...words].filter((word) => reportedWords.has(word)).length / words.size;
  };
  return [
    ...revised
      .filter(({ after }) => isNews(after.statement))
      .map(
        ({ after, figures }): AnswerChange => ({
          change: 'revised',
          text: showFigures(after.statement.text, figures),
        }),
      ),
    ...reported.map(({ text }): AnswerChange => ({ change: 'added', text })),
    ...gone
      .map(({ statement: { text } }) => ({ text, like: likeness(text) }))
      .toSorted((a, b) => b.like - a.like)
      .map(({ text }): AnswerChange => ({ change: 'removed', text })),
  ];
}

/** `Tickets are sold out for 25 → 28 weeks.` @param text the revised statement */
export function showFigures(text: string, figures: readonly { from: string; to: string }[]): string {
  return figures.reduce((written, { from, to }) => {
    const place = new RegExp(`(?<![\\p{N}.,])${to.replaceAll('.', '\\.')}(?!\\p{N}|[.,]\\p{N})`, 'u');
    return place.test(written)
      ? written.replace(place, () => `${from} → ${to}`)
      : `${written} (${from} → ${to})`;
  }, text);
}

const SIGNS: Readonly<Record<AnswerChange['change'], string>> = { added: '+ ', revised: '', removed: '− ' };

/** `+ Service resumes Monday.` */
function formatAnswerChange({ change, text }: AnswerChange): string {
  return `${SIGNS[change]}${text}`;
}

/** Changes of each kind that a line has at most; a list has more. */
const MAX_IN_LINE = 2;

/** The changes on one line: `+ Service resumes Monday. − Repairs last until the tenth.`; null if there are none. */
export function formatAnswerLine(changes: readonly AnswerChange[]): string | null {
  const shown = ANSWER_CHANGES.flatMap((kind) =>
    changes.filter(({ change }) => change === kind).slice(0, MAX_IN_LINE),
  );
  return shown.length === 0 ? null : shown.map(formatAnswerChange).join(' ');
}

/** The stored figures of a completion against the previous one. */
type ChangeFigures = {
  statements_new: number | null;
  statements_revised: number | null;
  statements_gone: number | null;
  statements_kept: number | null;
  citations_added: number | null;
  citations_removed: number | null;
  similarity: number | null;
};

/** `3 statements new, 1 revised, 2 removed, 9 unchanged; 4 sources added, 1 removed; 75 % similar`; null if not compared. */
export function describeCompletionChange(figures: ChangeFigures): string | null {
  const { citations_added, citations_removed, similarity } = figures;
  if (similarity === null) return null;
  const statements = describeStatementCounts({
    added: figures.statements_new ?? 0,
    revised: figures.statements_revised ?? 0,
    gone: figures.statements_gone ?? 0,
    kept: figures.statements_kept ?? 0,
  });
  const sources = `${formatCount(citations_added ?? 0, 'source')} added, ${citations_removed ?? 0} removed`;
  return `${statements}; ${sources}; ${formatPercent(similarity)} similar`;
}

/** `3 statements new, 1 revised, 2 removed, 9 unchanged`; `revised` is left out if none is. */
function describeStatementCounts({
  added,
  revised,
  gone,
  kept,
}: Record<'added' | 'revised' | 'gone' | 'kept', number>): string {
  const withFigures = revised === 0 ? '' : `, ${revised} revised`;
  return `${formatCount(added, 'statement')} new${withFigures}, ${gone} removed, ${kept} unchanged`;
}
