import type { AuthorRow } from '../../../store/reads/author-history.ts';
import { Facts } from '../detail/facts.tsx';
import { Count } from '../kit/number.tsx';
import { OutLink, Outside } from '../kit/outside.tsx';
import { Section } from '../kit/section.tsx';
import { Stat, Stats } from '../kit/stat.tsx';
import { When } from '../kit/when.tsx';

/** An author as last seen, in their own words. */
export function Profile({ author }: { author: AuthorRow }) {
  const said = (yes: boolean | null, words: string) => (yes === true ? words : null);
  const marks = [
    said(author.verified, 'verified'),
    said(author.is_blue_verified, 'verified by subscription'),
    said(author.can_dm, 'takes direct messages'),
    said(author.can_media_tag, 'may be tagged in media'),
  ].filter((one) => one !== null);
  return (
    <Section title="Profile" id="profile" note="As last seen; pictures are not loaded.">
      {author.description === null ? null : (
        <p class="whole">
          <Outside text={author.description} most={4_000} />
        </p>
      )}
      <Stats label="Counters when last observed">
        <Stat name="followers" value={<Count of={author.followers_count} />} />
        <Stat name="posts written" value={<Count of={author.statuses_count} />} />
        <Stat name="posts liked" value={<Count of={author.favourites_count} />} />
        <Stat name="media" value={<Count of={author.media_count} />} />
        <Stat name="lists" value={<Count of={author.listed_count} />} />
      </Stats>
      <Facts
        label="About this author"
        facts={[
          ['Name', author.name === null ? null : <Outside text={author.name} most={120} />],
          [
            'Place, in their words',
            author.location === null ? null : <Outside text={author.location} most={120} />,
          ],
          ['Account made', author.created_at === null ? null : <When at={author.created_at} exact />],
          ['Marks', marks.join(', ')],
          ['First seen', <When at={author.first_seen_at} exact />],
          ['Last change seen', <When at={author.observed_at} exact />],
          ['Service', author.service],
          ['Id there', <Outside text={author.external_id} most={60} />],
          ['Profile', author.url === null ? null : <OutLink href={author.url} text={author.url} />],
        ]}
      />
    </Section>
  );
}

/** Removing somebody for good is asked for where it is done, with what goes said first. */
export function Forgetting({ author }: { author: AuthorRow }) {
  return (
    <Section title="Forgetting this author" id="forget">
      <p>
        An author is forgotten from the command line. The command says what would go: posts and what repeats
        them, counters, links to them, and raw answers that name them. With <code>--yes</code> it does it, and
        no later answer brings any of it back.
      </p>
      <pre class="shell" tabIndex={0}>
        <code>{`strandline author forget ${shellWord(author.external_id)} --service ${shellWord(author.service)}`}</code>
      </pre>
    </Section>
  );
}

/** A word for a shell: what came from outside stands in quotes, whatever is in it. */
export function shellWord(word: string): string {
  return /^[\w.:@/-]+$/.test(word) && !word.startsWith('-')
    ? word
    : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
