import type { Citing as CitingRow, PostWithLink } from '../../../store/reads/link-places.ts';
import type { LinkRow } from '../../../store/reads/links.ts';
import { uncited } from '../kit/cited.tsx';
import { OutLink, Outside } from '../kit/outside.tsx';
import { PostCard } from '../kit/post-card.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';

export function Citing({ rows }: { rows: readonly CitingRow[] }) {
  return (
    <Section title="Completions that cite it" id="cited" note="The newest twenty.">
      {rows.length === 0 ? (
        <Empty words="No completion cites it." />
      ) : (
        rows.map(({ run_id, search, topic, observed_at, summary }) => (
          <div class="line is-completion">
            <span class="line-what">
              <a href={`/runs/${run_id}#completion`}>
                <Outside text={uncited(summary ?? 'a completion without a summary')} most={180} />
              </a>
            </span>
            <span class="line-more">
              <a href={`/searches/${search}`}>{`${topic} / ${search}`}</a> <When at={observed_at} />
            </span>
          </div>
        ))
      )}
    </Section>
  );
}

export function Containing({ rows }: { rows: readonly PostWithLink[] }) {
  return (
    <Section
      title="Posts that contain it"
      id="posts"
      note="The newest twenty with one of its addresses in their text, as written; posts under another address of the same page are not among them."
    >
      {rows.length === 0 ? (
        <Empty words="No stored post has one of its addresses in its text." />
      ) : (
        rows.map((post) => <PostCard post={{ ...post, url: null }} />)
      )}
    </Section>
  );
}

export function Addresses({ link, addresses }: { link: LinkRow; addresses: readonly string[] }) {
  return (
    <Section
      title="Its addresses"
      id="addresses"
      note="The first is the canonical one, by which a link is known; the others are those under which answers gave it."
    >
      <ul class="plain addresses">
        {[link.url, ...addresses.filter((address) => address !== link.url)].map((address) => (
          <li>
            <OutLink href={address} text={address} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
