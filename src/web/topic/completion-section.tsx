import type { Database } from '../../store/database.ts';
import {
  type CitedLink,
  type CompletionDiff,
  readCompletionDiff,
} from '../../store/queries/completion-diff.ts';
import { type CompletionRow, readLastCompletion } from '../../store/queries/completions.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import { StateIcon } from '../components/icons.tsx';
import { formatCount } from '../components/numbers.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { CitedText, UntrustedText } from '../components/untrusted-text.tsx';
import type { Range } from './time-range.ts';

const MAX_CLAIMS = 5;
const MAX_TEXT = 1_200;

/** The newest completion, and which statements are new or removed. */
export function CompletionSection({
  completions,
  range,
}: {
  completions: readonly TopicCompletion[];
  range: Range;
}) {
  if (completions.length === 0) return null;
  return (
    <Section
      title="Current answer"
      id="said"
      live
      note={`Written by the service, with what changed in ${range.words}.`}
    >
      {completions.map((entry) => (
        <CompletionText {...entry} several={completions.length > 1} />
      ))}
    </Section>
  );
}

function CompletionText({ search, completion, diff, several }: TopicCompletion & { several: boolean }) {
  const { summary, microblog_summary, news_forum_summary, discussion_board_summary } = completion;
  const text = summary ?? microblog_summary ?? news_forum_summary ?? discussion_board_summary;
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
            <CitedText text={text} most={MAX_TEXT} />
          </p>
          <p class="line-more">
            <Timestamp at={completion.observed_at} />
            <a href={`/runs/${completion.run_id}`}>run {String(completion.run_id)}</a>
          </p>
        </div>
        <div>
          {diff === null ? null : (
            <ul class="claims">
              {diff.new_claims.slice(0, MAX_CLAIMS).map((claim) => (
                <li class="is-new">
                  <StateIcon state="new" />
                  <span class="unseen">New: </span>
                  <UntrustedText text={claim.text} />
                  <ClaimSources links={claim.brought_by} />
                </li>
              ))}
              {diff.gone_claims.slice(0, MAX_CLAIMS).map((claim) => (
                <li>
                  <StateIcon state="removed" />
                  <span class="unseen">Removed: </span>
                  <span class="is-gone">
                    <UntrustedText text={claim.text} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          {diff === null ? null : (
            <p class="hint">
              Since <Timestamp at={diff.from.observed_at} exact />: {diff.new_claims.length} new,{' '}
              {diff.gone_claims.length} removed, {diff.changed_claims.length} re-sourced, {diff.kept}{' '}
              unchanged
              {diff.gaps.between === 0
                ? '.'
                : `; ${formatCount(diff.gaps.between, 'run')} in between returned no completion.`}
            </p>
          )}
        </div>
      </div>
    </>
  );
}

function ClaimSources({ links }: { links: readonly CitedLink[] }) {
  const [first] = links;
  if (first === undefined) return null;
  return (
    <span class="why">
      {' '}
      source: “
      <a href={`/links/${first.link_id}`}>
        <UntrustedText text={first.title ?? first.url} most={80} />
      </a>
      ”{links.length === 1 ? '' : ` and ${links.length - 1} more`}
    </span>
  );
}

type TopicCompletion = {
  search: SearchRow;
  completion: CompletionRow;
  /** Against the last completion before the range; null if there is none. */
  diff: CompletionDiff | null;
};

/** A topic rarely has more AI searches; each has a page of its own. */
const MAX_COMPLETIONS = 3;

/** The newest completion of each AI search, and its diff. */
export async function readTopicCompletions(
  db: Pick<Database, 'orm' | 'pool'>,
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
      return completion === undefined
        ? []
        : [{ search, completion, diff: typeof diff === 'string' ? null : diff }];
    }),
  );
  return completions.flat();
}
