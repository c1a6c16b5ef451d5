/** Authors with most posts, and the domains, hashtags and languages named most; each number leads to what it counts. */
import { formatPercent } from '../../lib/display-format.ts';
import { writeFieldQuery } from '../../model/query-fields.ts';
import type { CopiedPosts } from '../../store/queries/copied-posts.ts';
import { type BarRow, Bars } from '../components/data-table.tsx';
import { type ListKind, writeListPath } from '../components/list-address.ts';
import { Count, formatCount, ShortCount } from '../components/numbers.tsx';
import { EmptyState } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { LanguageName, UntrustedText } from '../components/untrusted-text.tsx';
import type { TopicScope } from './topic-data.ts';
import type { Voices } from './voices-data.ts';
import type { ComponentChildren } from 'preact';

export function VoicesList({ voices, scope }: { voices: Voices; scope: TopicScope }) {
  const { from, until, authors, copied, domains, hashtags, languages } = voices;
  const time = { scope, from, until };
  return (
    <>
      <p class="hint">
        <Timestamp at={from} exact /> to <Timestamp at={until} exact />.
      </p>
      <div class="columns thirds">
        <NameList
          title="Authors"
          rows={authors.map(({ author_id, author_username, followers_count, posts }) => ({
            name: (
              <>
                <a href={`/authors/${author_id}`}>
                  {author_username === null ? (
                    <span class="unknown">unknown</span>
                  ) : (
                    <UntrustedText text={`@${author_username}`} most={40} />
                  )}
                </a>{' '}
                <span class="why">
                  {followers_count === null ? null : (
                    <>
                      <ShortCount of={followers_count} /> followers,{' '}
                    </>
                  )}
                  {describeCopies(copied.get(author_id))}
                </span>
              </>
            ),
            value: posts,
            shown: (
              <FieldLink {...time} field="author-id" value={`${author_id}`}>
                <Count of={posts} />
              </FieldLink>
            ),
          }))}
        />
        <NameList
          title="Domains"
          rows={domains.map(({ domain, posts, links }) => ({
            name: <UntrustedText text={domain} most={60} />,
            value: posts + links,
            shown: (
              <>
                {posts === 0 ? null : (
                  <FieldLink {...time} field="host" value={domain}>
                    {formatCount(posts, 'post')}
                  </FieldLink>
                )}
                {posts === 0 || links === 0 ? '' : ', '}
                {links === 0 ? null : (
                  <FieldLink {...time} field="host" value={domain} kind="links">
                    {formatCount(links, 'link')}
                  </FieldLink>
                )}
              </>
            ),
          }))}
        />
        <div>
          <NameList
            title="Hashtags"
            rows={hashtags.map(({ hashtag, posts }) => ({
              name: (
                <FieldLink {...time} field="hashtag" value={hashtag}>
                  <UntrustedText text={`#${hashtag}`} most={60} />
                </FieldLink>
              ),
              value: posts,
            }))}
          />
          <NameList
            title="Languages"
            rows={languages.map(({ lang, posts }) => ({
              name: (
                <FieldLink {...time} field="lang" value={lang}>
                  <LanguageName code={lang} />
                </FieldLink>
              ),
              value: posts,
            }))}
          />
        </div>
      </div>
    </>
  );
}

/** `62 % copies`: of the posts of an author, what another thing said before. */
function describeCopies(copied: CopiedPosts | undefined): string {
  if (copied === undefined) return '';
  return copied.copies === 0 ? 'no copies' : `${formatPercent(copied.copies / copied.posts)} copies`;
}

/** A link to the items of the time with this value; only its text if no query can ask for it. */
function FieldLink({
  scope,
  from,
  until,
  kind = 'posts',
  field,
  value,
  children,
}: {
  scope: TopicScope;
  from: Date;
  until: Date;
  kind?: ListKind;
  field: Parameters<typeof writeFieldQuery>[0];
  value: string;
  children: ComponentChildren;
}) {
  const q = writeFieldQuery(field, value);
  return q === undefined ? (
    <>{children}</>
  ) : (
    <a href={writeListPath(kind, scope, { q, from, to: until })}>{children}</a>
  );
}

function NameList({ title, rows }: { title: string; rows: readonly BarRow[] }) {
  return (
    <div>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <EmptyState words="None." />
      ) : (
        <Bars
          caption={`Top ${title.toLowerCase()} by posts`}
          rows={rows}
          unit={title === 'Domains' ? 'Posts and links' : 'Posts'}
        />
      )}
    </div>
  );
}
