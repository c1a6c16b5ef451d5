import type { SearchStatus } from '../../monitor/status/search-status.ts';
import type { Reads } from '../../store/db/database.ts';
import { type CompletionDiff, readCompletionDiff } from '../../store/queries/completion-diff.ts';
import {
  type CompletionRow,
  readLastCompletion,
  readLinksByAddress,
} from '../../store/queries/completions.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import { type CitedLinks, CitedText, listCitedAddresses } from '../components/citations.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ChangeSummary, CompletionChanges } from './completion-diff.tsx';
import type { Range } from './time-range.ts';

const MAX_CLAIMS = 5;
const MAX_TEXT = 1_200;

/** The newest completion, and which statements are new or removed. */
export function CompletionSection({
  completions,
  range,
  statuses,
}: {
  completions: readonly TopicCompletion[];
  range: Range;
  statuses: readonly SearchStatus[];
}) {
  if (completions.length === 0) return null;
  const known = completions.map((entry) => ({ ...entry, isCurrent: isCurrent(entry, statuses) }));
  return (
    <Section
      title={known.every((entry) => entry.isCurrent) ? 'Current answer' : 'Last answer'}
      id="said"
      live
      note={`Written by the service, with what changed in ${range.words}.`}
    >
      {known.map((entry) => (
        <CompletionText {...entry} several={completions.length > 1} />
      ))}
    </Section>
  );
}

function CompletionText({
  search,
  completion,
  diff,
  links,
  several,
  isCurrent: current,
}: TopicCompletion & { several: boolean; isCurrent: boolean }) {
  const text = readMainText(completion);
  return (
    <>
      {several ? (
        <h3>
          <a href={`/searches/${search.slug}`}>{search.slug}</a>
        </h3>
      ) : null}
      <div class="columns">
        <div>
          <p class="prose">
            <CitedText text={text} most={MAX_TEXT} links={links} />
          </p>
          <p class="line-more">
            {current ? (
              <Timestamp at={completion.observed_at} />
            ) : (
              <span class="late">
                as of <Timestamp at={completion.observed_at} exact />
              </span>
            )}
            <a href={`/runs/${completion.run_id}#completion`}>
              Whole answer and sources, run {String(completion.run_id)}
            </a>
          </p>
        </div>
        <div>
          {diff === null ? null : (
            <>
              <CompletionChanges diff={diff} most={MAX_CLAIMS} />
              <ChangeSummary diff={diff} />
              <p class="line-more">
                <a
                  href={`/searches/${search.slug}/completions?from=${diff.from.run_id}&to=${diff.to.run_id}`}
                >
                  Whole difference
                </a>
              </p>
            </>
          )}
        </div>
      </div>
    </>
  );
}

/** Whether the newest run of an active search returned it: otherwise it is the last that is known, as of a time. */
function isCurrent({ search, completion }: TopicCompletion, statuses: readonly SearchStatus[]): boolean {
  const status = statuses.find(({ search_id }) => search_id === search.id);
  if (status === undefined || status.last_run_id !== completion.run_id) return false;
  return status.status === 'ok' || status.status === 'nothing_coming';
}

function readMainText(completion: CompletionRow): string | null {
  const { summary, microblog_summary, news_forum_summary, discussion_board_summary } = completion;
  return summary ?? microblog_summary ?? news_forum_summary ?? discussion_board_summary;
}

type TopicCompletion = {
  search: SearchRow;
  completion: CompletionRow;
  /** Against the last completion before the range; null if there is none. */
  diff: CompletionDiff | null;
  links: CitedLinks;
};

/** A topic rarely has more AI searches; each has a page of its own. */
const MAX_COMPLETIONS = 3;

/** The newest completion of each AI search, and its diff. */
export async function readTopicCompletions(
  db: Reads,
  searches: readonly SearchRow[],
  since: Date,
): Promise<TopicCompletion[]> {
  const aiSearches = searches.filter(({ operation }) => operation === 'ai').slice(0, MAX_COMPLETIONS);
  const completions = await Promise.all(
    aiSearches.map(async (search) => {
      const [completion, diff] = await Promise.all([
        readLastCompletion(db, search.slug),
        readCompletionDiff(db, search, { since }),
      ]);
      if (completion === undefined) return [];
      const links = await readLinksByAddress(db, listCitedAddresses([readMainText(completion)]));
      return [{ search, completion, diff: typeof diff === 'string' ? null : diff, links }];
    }),
  );
  return completions.flat();
}
