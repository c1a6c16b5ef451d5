/** The statements that differ between two completions, with their sources. */

import { showFigures } from '../../model/statements/answer-change.ts';
import { formatPercent } from '../../lib/display-format.ts';
import {
  type CitedLink,
  type CompletionDiff,
  type DiffedClaim,
  describeStatements,
} from '../../store/queries/completion-diff.ts';
import { StateIcon } from '../components/icons.tsx';
import { formatCount } from '../components/numbers.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

/** Statements are stored with at most this many UTF-16 units. */
const MAX_STATEMENT = 2_000;

/** What a completion says that the other does not, and what it no longer says. @param most of each; default: all */
export function CompletionChanges({ diff, most = Infinity }: { diff: CompletionDiff; most?: number }) {
  return (
    <ul class="claims">
      {diff.revised_claims.slice(0, most).map((claim) => (
        <NewClaim claim={claim} words="Revised: " text={showFigures(claim.text, claim.figures)} />
      ))}
      {diff.new_claims.slice(0, most).map((claim) => (
        <NewClaim claim={claim} words="New: " text={claim.text} />
      ))}
      {diff.gone_claims.slice(0, most).map((claim) => (
        <li>
          <StateIcon state="removed" />
          <span class="unseen">Removed: </span>
          <span class="is-gone">
            <UntrustedText text={claim.text} most={MAX_STATEMENT} />
          </span>
          <Sections roles={claim.roles} />
        </li>
      ))}
    </ul>
  );
}

function NewClaim({
  claim,
  words,
  text,
}: {
  claim: CompletionDiff['new_claims'][number];
  words: string;
  text: string;
}) {
  return (
    <li class="is-new">
      <StateIcon state="new" />
      <span class="unseen">{words}</span>
      <UntrustedText text={text} most={MAX_STATEMENT} />
      <Sections roles={claim.roles} />
      {claim.brought_by.length > 0 ? (
        <Sources words="new source" links={claim.brought_by} />
      ) : (
        <Sources words="source" links={claim.cited} />
      )}
    </li>
  );
}

/** Statements with other sources than before. */
export function ResourcedStatements({ diff }: { diff: CompletionDiff }) {
  if (diff.changed_claims.length === 0) return null;
  return (
    <>
      <h3>With other sources</h3>
      <ul class="claims">
        {diff.changed_claims.map((claim) => (
          <li>
            <UntrustedText text={claim.text} most={MAX_STATEMENT} />
            <Sections roles={claim.roles} />
            <Sources words="added" links={claim.cited_new} />
            <Sources words="removed" links={claim.cited_gone} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** `Since …: 3 new, 2 removed, 9 unchanged (1 with other sources); 75 % similar.` */
export function ChangeSummary({ diff }: { diff: CompletionDiff }) {
  const { from, similarity, gaps } = diff;
  return (
    <p class="hint">
      Since <Timestamp at={from.observed_at} exact />: {describeStatements(diff)}; {formatPercent(similarity)}{' '}
      similar
      {gaps.between === 0 ? '.' : `; ${formatCount(gaps.between, 'run')} in between returned no answer.`}
    </p>
  );
}

const SECTION_WORDS: Readonly<Record<DiffedClaim['role'], string>> = {
  summary: 'all sources',
  microblog_summary: 'microblogs',
  discussion_board_summary: 'discussion boards',
  news_forum_summary: 'news forums',
};

function Sections({ roles }: { roles: readonly DiffedClaim['role'][] }) {
  return <span class="why"> {roles.map((role) => SECTION_WORDS[role]).join(', ')}</span>;
}

function Sources({ words, links }: { words: string; links: readonly CitedLink[] }) {
  if (links.length === 0) return null;
  return (
    <span class="why">
      {'; '}
      {words}:{' '}
      {links.map(({ link_id, title, url }, i) => (
        <>
          {i === 0 ? '' : ', '}
          <a href={`/links/${link_id}`}>
            <UntrustedText text={title ?? url} most={80} />
          </a>
        </>
      ))}
    </span>
  );
}
