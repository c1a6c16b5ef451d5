/** What an AI search answers now, and what changed. */
import { formatCount } from '../lib/display-format.ts';
import { showFigures } from '../model/statements/answer-change.ts';
import { splitCitedText } from '../model/statements/cited-text.ts';
import { Refused } from '../model/errors.ts';
import { parseZone } from '../monitor/schedule/time-zone.ts';
import { findScope, findSearches } from '../monitor/topics/find-by-slug.ts';
import {
  type CompletionDiff,
  describeStatements,
  readCompletionDiff,
} from '../store/queries/completion-diff.ts';
import { type CompletionRow, readLastCompletion } from '../store/queries/completions.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import { declareTool, type ToolCall } from './tool.ts';
import { search, since, topic, tz } from './tool-inputs.ts';
import {
  createTimeWriter,
  joinParts,
  quote,
  QUOTED_NOTICE,
  readTime,
  type TimeWriter,
  writeAddress,
} from './tool-text.ts';
import { z } from 'zod';

const MAX_ANSWERS = 3;
const MAX_ANSWER = 1_500;
const MAX_SOURCES = 10;
const MAX_CHANGES = 5;
const MAX_STATEMENT = 300;

export const answerTool = declareTool({
  name: 'answer',
  title: 'Current answer',
  description:
    'The newest answer of an AI search with its sources, and which statements are new, revised or gone since an earlier answer (default: the one before). Name a topic or a search.',
  scope: 'read',
  input: z.strictObject({
    topic,
    search,
    since: since.describe('Compare with the answer of then: yesterday, 7d, 2026-11-21, or an ISO time.'),
    tz,
  }),
  run: async (call, { since: from, tz: zoneName, ...named }) => {
    const zone = parseZone(zoneName);
    const { ctx } = call;
    const now = ctx.clock.now();
    const compared = readTime(from, 'since', { now, as: 'start', zone });
    const scope = await findScope(ctx.db, named);
    const searches = (await findSearches(ctx.db, scope)).filter(({ operation }) => operation === 'ai');
    if (searches.length === 0)
      throw new Refused(
        'not_found',
        'no AI search there, so there is no answer; the tool overview lists topics',
      );
    const write = createTimeWriter(zone, now);
    const answers: string[] = [];
    for (const each of searches.slice(0, MAX_ANSWERS))
      answers.push(...(await describeAnswer(call, each, compared, write)));
    const more = searches.slice(MAX_ANSWERS).map(({ slug }) => slug);
    return [
      `Times in ${zone}. ${QUOTED_NOTICE}`,
      ...answers,
      ...(more.length === 0 ? [] : [`Other AI searches: ${more.slice(0, 20).join(', ')}.`]),
    ].join('\n');
  },
});

async function describeAnswer(
  { ctx: { db }, base }: ToolCall,
  { id, slug, topic: of }: SearchRow,
  compared: Date | undefined,
  write: TimeWriter,
): Promise<string[]> {
  const completion = await readLastCompletion(db, slug);
  if (completion === undefined) return [`${slug} (${of}): no answer yet.`];
  const diff = await readCompletionDiff(db, { id, slug }, { since: compared });
  return [
    `${slug} (${of}), answered ${write(completion.observed_at)}: ${base}/searches/${slug}/completions`,
    ...writeAnswer(completion),
    ...(typeof diff === 'string' ? ['No earlier answer to compare it with.'] : describeChange(diff, write)),
  ];
}

/** The text with its citations as numbers, and what they stand for. */
function writeAnswer({
  summary,
  microblog_summary,
  news_forum_summary,
  discussion_board_summary,
  text,
}: CompletionRow): string[] {
  const answer = summary ?? microblog_summary ?? news_forum_summary ?? discussion_board_summary ?? text;
  if (answer === null) return ['The response had no text.'];
  const pieces = splitCitedText(answer);
  const words = pieces.map((piece) => (typeof piece === 'string' ? piece : `[${piece.number}]`)).join('');
  const shown = quote(words, MAX_ANSWER);
  const sources = new Map(
    pieces.flatMap((piece): [string, string][] => {
      const address = typeof piece === 'string' ? null : writeAddress(piece.address);
      return typeof piece === 'string' || address === null
        ? []
        : [[piece.number, `[${piece.number}] ${address}`]];
    }),
  );
  const cited = [...sources].flatMap(([number, line]) => (shown.includes(`[${number}]`) ? [line] : []));
  const more = cited.length - MAX_SOURCES;
  return [
    shown,
    ...cited.slice(0, MAX_SOURCES),
    ...(more > 0 ? [`and ${formatCount(more, 'more source')}`] : []),
  ];
}

/** `+` is new, `~` has new figures, `-` is no longer said. */
function describeChange(diff: CompletionDiff, write: TimeWriter): string[] {
  const said = (text: string) => quote(text, MAX_STATEMENT);
  const sourceOf = ([first]: CompletionDiff['new_claims'][number]['cited']) =>
    writeAddress(first?.url ?? null);
  const lines = [
    ...diff.new_claims.map(({ text, cited }) => joinParts([`+ ${said(text)}`, sourceOf(cited)])),
    ...diff.revised_claims.map(({ text, figures, cited }) =>
      joinParts([`~ ${said(showFigures(text, figures))}`, sourceOf(cited)]),
    ),
    ...diff.gone_claims.map(({ text }) => `- ${said(text)}`),
  ];
  const of = (sign: string) => lines.filter((line) => line.startsWith(sign)).slice(0, MAX_CHANGES);
  const shown = [...of('+'), ...of('~'), ...of('-')];
  const more = lines.length - shown.length;
  const from = `${diff.from_first ? 'the first answer, of' : 'the answer of'} ${write(diff.from.observed_at)}`;
  return [
    `Compared with ${from}: ${describeStatements(diff)}.`,
    ...shown,
    ...(more === 0 ? [] : [`and ${formatCount(more, 'more change')}`]),
  ];
}
