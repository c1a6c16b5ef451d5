/** Stories of a topic: items that say the same thing, folded; and the items of one of them. */
import { nameTopic } from '../components/scope-names.tsx';
import { z } from 'zod';
import { idKey } from '../../model/value-shapes.ts';
import { findById } from '../../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findTopicRow } from '../../monitor/topics/find-by-slug.ts';
import { countDismissals } from '../../store/alerts/dismissals.ts';
import type { Id } from '../../store/db/database.ts';
import {
  readStories,
  readStory,
  readStoryHours,
  readStoryItems,
  type StoryItemRow,
  type StoryRow,
} from '../../store/queries/stories.ts';
import { RELEVANCES, type Relevance as Judged } from '../../store/queries/judgements.ts';
import { Table } from '../components/data-table.tsx';
import { DismissButton, DismissForm, HiddenNote, Relevance } from '../components/dismiss-button.tsx';
import { ItemLink } from '../components/item-link.tsx';
import { formatCount } from '../components/numbers.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Pager, ScopeLinks, Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { readPageTranslations, TranslationsOf } from '../components/translation.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { RELEVANCE_NAMES, VerdictText } from './verdict-text.tsx';
import { MAX_STORY_HOURS, StoryGrowth } from './story-growth.tsx';
import { emptyField, requireKey, slugParams } from '../request-input.ts';

const SHOWN = 50;
/** UTF-16 units of a text in a row. */
const MAX_TEXT = 240;

const cursor = emptyField
  .or(z.string().regex(/^\d{13}\.\d{1,19}$/, 'the address of another page'))
  .optional();

const storiesQuery = z.object({ after: cursor, is: z.enum(RELEVANCES).optional() });

export function addStoryPages(app: App, { ctx }: RouteContext): void {
  app.get(
    '/topics/:slug/stories',
    { config: { scope: 'read' }, schema: { params: slugParams, querystring: storiesQuery } },
    async (request, reply) => {
      const { slug, name, goal } = await findTopicRow(ctx.db, request.params.slug);
      const after = readCursor(request.query.after);
      const { is } = request.query;
      const [rows, hidden] = await Promise.all([
        readStories(ctx.db, { topic: slug, relevance: is, after, limit: SHOWN }),
        countDismissals(ctx.db, slug),
      ]);
      const translations = await readPageTranslations(
        ctx,
        slug,
        rows.map(({ text }) => text),
      );
      const last = rows.length === SHOWN ? rows.at(-1) : undefined;
      const path = nameStories(slug, is);
      return renderPage(request, reply, {
        title: `Stories of ${name}`,
        here: '',
        above: <ScopeLinks scope={{ topic: slug }} />,
        body: (
          <Section
            title="Stories"
            id="stories"
            {...(goal === null ? {} : { aside: <RelevanceTabs slug={slug} is={is} /> })}
            note="At least two posts or links that say the same thing: at one address, with a link to one page, or in nearly the same words. The last news first; what was found in the last seconds may be missing."
          >
            <HiddenNote topic={slug} count={hidden} />
            <TranslationsOf.Provider value={translations}>
              <Stories rows={rows} hasGoal={goal !== null} />
            </TranslationsOf.Provider>
            <DismissForm topic={slug} />
            <Pager
              first={after === undefined ? null : path}
              next={
                last === undefined
                  ? null
                  : `${path}${is === undefined ? '?' : '&'}after=${last.last_news_at.getTime()}.${last.id}`
              }
              words="Earlier stories"
            />
          </Section>
        ),
      });
    },
  );
  app.get(
    '/stories/:id',
    {
      config: { scope: 'read' },
      schema: {
        params: z.object({ id: z.string().max(40) }),
        querystring: z.object({ after: emptyField.or(idKey).optional() }),
      },
    },
    async (request, reply) => {
      const id = requireKey('story', request.params.id);
      const story = await findById('story', id, readStory(ctx.db, id));
      const items = await readStoryItems(ctx.db, { id, after: request.query.after, limit: SHOWN });
      const hours = await readStoryHours(ctx.db, { id, limit: MAX_STORY_HOURS });
      const translations = await readPageTranslations(
        ctx,
        story.topic,
        items.map(({ text }) => text),
      );
      const last = items.length === SHOWN ? items.at(-1) : undefined;
      return renderPage(request, reply, {
        title: `A story of ${nameTopic(request.frame, story.topic)}`,
        here: '',
        above: <a href={`/topics/${story.topic}/stories`}>Stories</a>,
        lead: <StoryFigures story={story} />,
        aside: <StoryRelevance story={story} />,
        body: (
          <>
            {request.query.after === undefined ? <StoryGrowth hours={hours} /> : null}
            <Section title="Items" id="items" note="In the order in which the topic found them.">
              <TranslationsOf.Provider value={translations}>
                <Items rows={items} />
              </TranslationsOf.Provider>
              <Pager
                first={request.query.after === undefined ? null : `/stories/${id}`}
                next={last === undefined ? null : `/stories/${id}?after=${last.discovery_id}`}
                words="Later items"
              />
            </Section>
          </>
        ),
      });
    },
  );
}

const nameStories = (slug: string, is: Judged | undefined) =>
  `/topics/${slug}/stories${is === undefined ? '' : `?is=${is}`}`;

/** As the goal of the topic judges them. */
function RelevanceTabs({ slug, is }: { slug: string; is: Judged | undefined }) {
  return (
    <Tabs
      label="Relevance"
      tabs={[undefined, ...RELEVANCES].map((name) => ({
        href: nameStories(slug, name),
        words: name === undefined ? 'All' : RELEVANCE_NAMES[name],
        here: name === is,
      }))}
    />
  );
}

/** `1764486000000.29`: when the last story of the page before had its last news, and its id. */
function readCursor(text: string | undefined): readonly [Date, Id] | undefined {
  const [at, id] = text?.split('.') ?? [];
  return at === undefined || id === undefined ? undefined : [new Date(Number(at)), BigInt(id)];
}

/** `×27, 30 posts and links, 3 authors, 2 sites`: the first as lists say it, the second if it is another. */
function StoryFigures({
  story: { members, things, authors, sources, first_found_at: first, relevant, why },
}: {
  story: StoryRow;
}) {
  const of = [
    `×${things}`,
    ...(members === things ? [] : [`${members} posts and links`]),
    ...(authors > 0 ? [formatCount(authors, 'author')] : []),
    ...(sources > 1 ? [formatCount(sources, 'site')] : []),
  ];
  return (
    <>
      {of.join(', ')}, since <Timestamp at={first} exact />
      {relevant === null ? null : <VerdictText relevant={relevant} why={why} />}
    </>
  );
}

function StoryRelevance({
  story: { topic, first_kind, first_item_id: id, hidden_at: at, hidden_by: by },
}: {
  story: StoryRow;
}) {
  const kind = first_kind === 'link' ? 'link' : 'post';
  return <Relevance kind={kind} id={id} topic={topic} hidden={at === null ? null : { at, by }} />;
}

/** A text with its author, linked. */
function Said({
  item: { author_username: name, text, url },
  path,
}: {
  item: Pick<StoryRow, 'author_username' | 'text' | 'url'>;
  path: string;
}) {
  return (
    <>
      {name === null ? null : (
        <>
          <UntrustedText text={`@${name}`} most={60} />:{' '}
        </>
      )}
      <ItemLink path={path} url={url} text={text ?? url ?? 'no text'} most={MAX_TEXT} />
    </>
  );
}

function Stories({ rows, hasGoal }: { rows: readonly StoryRow[]; hasGoal: boolean }) {
  return (
    <Table
      empty="No two items of this topic say the same thing so far."
      caption="Stories, the last news first"
      rows={rows}
      columns={[
        {
          head: 'Story',
          cell: (story) => (
            <>
              <Said item={story} path={`/stories/${story.id}`} />
              {hasGoal ? <VerdictText {...story} /> : null}
            </>
          ),
        },
        { head: 'Items', number: true, cell: ({ members }) => members },
        { head: 'Authors', number: true, cell: ({ authors }) => authors },
        { head: 'Since', wide: true, cell: ({ first_found_at: at }) => <Timestamp at={at} /> },
        { head: 'Last news', cell: ({ last_news_at: at }) => <Timestamp at={at} /> },
        {
          head: <span class="unseen">Relevance</span>,
          cell: ({ first_kind: kind, first_item_id: id, text, url }) =>
            kind === 'post' || kind === 'link' ? (
              <DismissButton kind={kind} id={id} text={text ?? url ?? 'no text'} />
            ) : null,
        },
      ]}
    />
  );
}

function Items({ rows }: { rows: readonly StoryItemRow[] }) {
  return (
    <Table
      caption="Items of the story, in the order in which they were found"
      rows={rows}
      columns={[
        { head: 'Found', cell: ({ found_at: at }) => <Timestamp at={at} exact /> },
        {
          head: 'What',
          cell: (item) => <Said item={item} path={`/${item.kind}s/${item.item_id}`} />,
        },
      ]}
    />
  );
}
