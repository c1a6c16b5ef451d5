import type { CitedLink } from '../../../store/reads/completion-diff.ts';
import { Shape } from '../kit/badge.tsx';
import { counted } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Cited } from '../kit/cited.tsx';
import { Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';
import type { Comment } from './completion-read.ts';
import type { Range } from './range.ts';

const MOST_CLAIMS = 5;
const MOST_TEXT = 1_200;

/** What the service writes of it, and which claims are new or gone. */
export function CompletionSection({ comments, range }: { comments: readonly Comment[]; range: Range }) {
  if (comments.length === 0) return null;
  return (
    <Section
      title="What is said"
      id="said"
      live
      note={`The newest completion, written by the service, and which of its claims were not there ${range.words} ago.`}
    >
      {comments.map((comment) => (
        <Said {...comment} several={comments.length > 1} />
      ))}
    </Section>
  );
}

function Said({ search, completion, diff, several }: Comment & { several: boolean }) {
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
            <Cited text={text} most={MOST_TEXT} />
          </p>
          <p class="line-more">
            <When at={completion.observed_at} />
            <a href={`/runs/${completion.run_id}`}>the run that brought it</a>
          </p>
        </div>
        <div>
          {diff === null ? null : (
            <ul class="claims">
              {diff.new_claims.slice(0, MOST_CLAIMS).map((claim) => (
                <li class="is-new">
                  <Shape state="new" />
                  <span class="unseen">New: </span>
                  <Outside text={claim.text} />
                  <Brought links={claim.brought_by} />
                </li>
              ))}
              {diff.gone_claims.slice(0, MOST_CLAIMS).map((claim) => (
                <li>
                  <Shape state="removed" />
                  <span class="unseen">Gone: </span>
                  <span class="is-gone">
                    <Outside text={claim.text} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          {diff === null ? null : (
            <p class="hint">
              Since <When at={diff.from.observed_at} exact />: {counted(diff.new_claims.length, 'claim')} new,{' '}
              {diff.gone_claims.length} gone, {diff.changed_claims.length} with other sources, {diff.kept}{' '}
              kept
              {diff.gaps.between === 0 ? '.' : `; ${counted(diff.gaps.between, 'run')} between said nothing.`}
            </p>
          )}
        </div>
      </div>
    </>
  );
}

function Brought({ links }: { links: readonly CitedLink[] }) {
  const [first] = links;
  if (first === undefined) return null;
  return (
    <span class="why">
      {' '}
      by{' '}
      <a href={`/links/${first.link_id}`}>
        <Outside text={first.title ?? first.url} most={80} />
      </a>
      {links.length === 1 ? '' : ` and ${links.length - 1} more`}
    </span>
  );
}
