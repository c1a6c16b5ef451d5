import { isFirstOfSearch } from '../../../monitor/run/first.ts';
import type { CompletionRow } from '../../../store/reads/completions.ts';
import type { DiscoveryRow } from '../../../store/reads/discoveries.ts';
import type { RunRow } from '../../../store/reads/runs.ts';
import { Cited } from '../kit/cited.tsx';
import { DiscoveryLine } from '../kit/discovery-line.tsx';
import { Empty, Section } from '../kit/section.tsx';

export function Found({ run, rows, limit }: { run: RunRow; rows: readonly DiscoveryRow[]; limit: number }) {
  const note = rows.length === limit ? `The newest ${limit} of them.` : undefined;
  return (
    <Section title="What was new" id="new" note={note}>
      {rows.length === 0 ? (
        <Empty
          words={
            run.status === 'succeeded'
              ? 'Nothing: the search had seen all of it before.'
              : 'Nothing was found by this run.'
          }
        />
      ) : (
        <ol class="feed plain">
          {rows.map((discovery) => (
            <li>
              <DiscoveryLine discovery={discovery} within="search" />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

const TEXTS = [
  ['summary', 'Over all sources'],
  ['microblog_summary', 'Microblogs'],
  ['discussion_board_summary', 'Discussion boards'],
  ['news_forum_summary', 'News forums'],
] as const;
const MOST_TEXT = 12_000;

export function Completion({ run, completion }: { run: RunRow; completion: CompletionRow | undefined }) {
  if (completion === undefined) return null;
  const { claims, changed, search } = completion;
  const beside = isFirstOfSearch(run)
    ? 'the first of its search'
    : `it cites ${changed ? 'other links than' : 'the same links as'} the one before`;
  const made = claims === null ? 'its claims were not read' : `${claims} claims`;
  return (
    <Section
      title="The completion"
      id="completion"
      note={`Written by a machine; ${made}; ${beside}.`}
      aside={<a href={`/searches/${search}`}>What it says that is new</a>}
    >
      {TEXTS.map(([member, words]) => {
        const text = completion[member];
        return text === null ? null : (
          <>
            <h3>{words}</h3>
            <p class="prose">
              <Cited text={text} most={MOST_TEXT} />
            </p>
          </>
        );
      })}
    </Section>
  );
}
