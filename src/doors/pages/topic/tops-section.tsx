import { Bars, type BarRow } from '../kit/bars.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { dayOf } from '../kit/zone.ts';
import type { Shown } from './volume-section.tsx';

/** Who and what the posts speak of. */
export function TopsSection({ read }: Shown) {
  const { from, authors, domains, hashtags, languages } = read.tops;
  if (read.linksOnly) return <Domains from={from} rows={domains} />;
  return (
    <div class="columns fourths">
      <Top
        title="Authors"
        from={from}
        rows={authors.map(({ author_id, author_username, posts }) => ({
          name: (
            <a href={`/authors/${author_id}`}>
              {author_username === null ? (
                <span class="unknown">unknown</span>
              ) : (
                <Outside text={`@${author_username}`} most={40} />
              )}
            </a>
          ),
          value: posts,
        }))}
      />
      <Domains from={from} rows={domains} />
      <Top
        title="Hashtags"
        from={from}
        rows={hashtags.map(({ hashtag, posts }) => ({
          name: (
            <a href={`/explore?${new URLSearchParams({ q: `#${hashtag}` }).toString()}`}>
              <Outside text={`#${hashtag}`} most={60} />
            </a>
          ),
          value: posts,
        }))}
      />
      <Top
        title="Languages"
        from={from}
        rows={languages.map(({ lang, posts }) => ({ name: nameOf(lang), value: posts }))}
      />
    </div>
  );
}

function Domains({ from, rows }: { from: Date; rows: Shown['read']['tops']['domains'] }) {
  return (
    <Top
      title="Domains"
      from={from}
      rows={rows.map(({ domain, posts, links }) => ({
        name: <Outside text={domain} most={60} />,
        value: posts + links,
      }))}
    />
  );
}

function Top({ title, rows, from }: { title: string; rows: readonly BarRow[]; from: Date }) {
  const since = `since ${dayOf(from, 'UTC')} (UTC)`;
  return (
    <Section title={title} id={`top-${title.toLowerCase()}`} live aside={<span class="hint">{since}</span>}>
      {rows.length === 0 ? (
        <Empty words={`None ${since}.`} />
      ) : (
        <Bars
          caption={`${title} by posts, ${since}`}
          rows={rows}
          unit={title === 'Domains' ? 'Posts and links' : 'Posts'}
        />
      )}
    </Section>
  );
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** `German`; what is no language's code is shown as it came. */
function nameOf(code: string) {
  try {
    return <Outside text={LANGUAGES.of(code) ?? code} most={30} />;
  } catch {
    return <Outside text={code} most={30} />;
  }
}
