/** The statements that differ between two completions, with their sources. */

import { showFigures } from '../../model/statements/answer-change.ts';
import { createChangedWords, createLikestFinder } from '../../model/statements/changed-words.ts';
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
import { Translated } from '../components/translation.tsx';
import { Matches, UntrustedText } from '../components/untrusted-text.tsx';

/** Statements are stored with at most this many UTF-16 units. */
const MAX_STATEMENT = 2_000;
/** UTF-16 units of a statement beside other things. */
const MAX_BRIEF = 160;

/** Statements that are shown with their translations: those that the later completion has. */
export function listShownClaims({ new_claims, revised_claims, changed_claims }: CompletionDiff) {
  return [...new_claims, ...revised_claims, ...changed_claims];
}

/**
 * What a completion says that the other does not, and what it no longer says; words that the likest statement of the other lacks are
 * marked. @param most of each; default: all @param brief without sections and sources
 */
export function CompletionChanges({
  diff,
  most = Infinity,
  brief = false,
}: {
  diff: CompletionDiff;
  most?: number;
  brief?: boolean;
}) {
  const { revised_claims, new_claims, gone_claims } = diff;
  const findGone = createLikestFinder(gone_claims.map(({ text }) => text));
  const findNew = createLikestFinder(new_claims.map(({ text }) => text));
  return (
    <ul class="claims">
      {revised_claims.slice(0, most).map((claim) => (
        <NewClaim
          claim={claim}
          words="Revised: "
          text={showFigures(claim.text, claim.figures)}
          before={claim.before}
          brief={brief}
        />
      ))}
      {new_claims.slice(0, most).map((claim) => (
        <NewClaim claim={claim} words="New: " text={claim.text} before={findGone(claim.text)} brief={brief} />
      ))}
      {gone_claims.slice(0, most).map((claim) => (
        <li>
          <StateIcon state="removed" />
          <span class="unseen">Removed: </span>
          <span class="is-gone">
            <Matches.Provider value={createChangedWords(findNew(claim.text))}>
              <UntrustedText text={claim.text} most={brief ? MAX_BRIEF : MAX_STATEMENT} />
            </Matches.Provider>
          </span>
          {brief ? null : <Sections roles={claim.roles} />}
        </li>
      ))}
    </ul>
  );
}

function NewClaim({
  claim,
  words,
  text,
  before,
  brief,
}: {
  claim: CompletionDiff['new_claims'][number];
  words: string;
  text: string;
  /** The statement in whose place it is, if there is one. */
  before: string | undefined;
  brief: boolean;
}) {
  return (
    <li class="is-new">
      <StateIcon state="new" />
      <span class="unseen">{words}</span>
      <Matches.Provider value={createChangedWords(before)}>
        <UntrustedText text={text} most={brief ? MAX_BRIEF : MAX_STATEMENT} />
      </Matches.Provider>
      <Translated text={claim.text} most={brief ? MAX_BRIEF : MAX_STATEMENT} />
      {brief ? null : (
        <>
          <Sections roles={claim.roles} />
          {claim.brought_by.length > 0 ? (
            <Sources words="new source" links={claim.brought_by} />
          ) : (
            <Sources words="source" links={claim.cited} />
          )}
        </>
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
            <Translated text={claim.text} most={MAX_STATEMENT} />
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
