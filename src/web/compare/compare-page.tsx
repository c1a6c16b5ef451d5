/** Topics compared: share of voice, who finds links first, and what they have in common. */

import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { DAY } from '../../lib/time.ts';
import { findCurrentSlugs } from '../../store/topics/former-slugs.ts';
import { readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { COMMON_KINDS } from '../../store/queries/tops.ts';
import { Button, Field } from '../components/form.tsx';
import { CREATE_TOPIC_SCOPES } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { COMPARE_RANGES, type CompareRange, readComparison } from './compare-data.ts';
import { CommonNames } from './common-names-section.tsx';
import { FirstFinders } from './first-finders-section.tsx';
import { ShareSection, SmallMultiples } from './share-of-voice-section.tsx';
import { z } from 'zod';

/** More lines could not be told apart in a chart. */
const MAX_TOPICS = 6;
/** Topics to choose from. */
const MAX_LISTED = 200;

const querystring = z.strictObject({
  topics: z.union([z.string(), z.array(z.string())]).optional(),
  range: z.enum(COMPARE_RANGES).optional(),
  common: z.enum(COMMON_KINDS).default('hashtag'),
});

export function addComparePage(app: App, { ctx }: RouteContext): void {
  app.get('/compare', { config: { scope: 'read' }, schema: { querystring } }, async (request, reply) => {
    const requestedTopics = [
      ...new Set([request.query.topics ?? []].flat().flatMap((slugs) => slugs.split(','))),
    ].filter((slug) => slug !== '');
    const all = await readTopics(ctx.db, { limit: MAX_LISTED });
    const named = await findCurrentSlugs(ctx.db.pool, 'topic', requestedTopics);
    const chosen = named.flatMap((name) => all.find(({ slug }) => slug === name) ?? []).slice(0, MAX_TOPICS);
    const range = request.query.range ?? chooseRange(chosen, ctx.clock.now());
    const compared = { topics: chosen, range, commonKind: request.query.common };
    const comparison = chosen.length < 2 ? null : await readComparison(ctx.db, ctx.clock.now(), compared);
    return renderPage(request, reply, {
      title: 'Compare',
      here: '/compare',
      charts: comparison !== null,
      lead: 'Share of voice, who finds links first, and what topics have in common.',
      body: (
        <>
          <TopicChoice topics={all} chosen={chosen} range={range} />
          <NotShown named={named} chosen={chosen} />
          {comparison === null ? (
            <NothingChosen topics={all} />
          ) : (
            <>
              {comparison.shares.map((shareOfVoice) => (
                <>
                  <ShareSection shareOfVoice={shareOfVoice} alone={comparison.shares.length === 1} />
                  <SmallMultiples shareOfVoice={shareOfVoice} />
                </>
              ))}
              {comparison.shares.length > 0 ? null : (
                <Section title="Share of voice" id="share">
                  <EmptyState words="No data for these topics in this range." />
                </Section>
              )}
              <FirstFinders {...comparison} />
              <CommonNames {...comparison} />
            </>
          )}
        </>
      ),
    });
  });
}

function TopicChoice({
  topics,
  chosen,
  range,
}: {
  topics: readonly TopicRow[];
  chosen: readonly TopicRow[];
  range: CompareRange;
}) {
  if (topics.length === 0) return null;
  return (
    <form class="form choice" method="get" action="/compare" aria-label="Topics to compare">
      <Field
        name="topics"
        label="Topics"
        many
        value={chosen.map(({ slug }) => slug)}
        options={sortChosenFirst(topics, chosen).map(({ slug, name }) => [slug, name])}
        most={MAX_TOPICS}
        help={`Up to ${MAX_TOPICS}.`}
      />
      <div class="form inline">
        <Field
          name="range"
          label="Range"
          kind="select"
          value={range}
          options={COMPARE_RANGES.map((value) => [value, `last ${Number.parseInt(value, 10)} days`])}
        />
        <Button words="Compare" kind="main" />
      </div>
    </form>
  );
}

/** What is chosen comes first; the others by name, in which `Topic 2` is before `Topic 10`. */
function sortChosenFirst(topics: readonly TopicRow[], chosen: readonly TopicRow[]): TopicRow[] {
  const rank = (topic: TopicRow) => (chosen.some(({ slug }) => slug === topic.slug) ? 0 : 1);
  return topics.toSorted((a, b) => rank(a) - rank(b) || NATURAL.compare(a.name, b.name));
}

const NATURAL = new Intl.Collator('en', { numeric: true });

/** A month, or a week if all topics are younger. */
function chooseRange(chosen: readonly TopicRow[], now: Date): CompareRange {
  const young = chosen.every(({ created_at }) => now.getTime() - created_at.getTime() < 7 * DAY);
  return young ? '7d' : '30d';
}

/** Requested topics that are not shown. */
function NotShown({ named, chosen }: { named: readonly string[]; chosen: readonly TopicRow[] }) {
  const left = named.filter((slug) => !chosen.some((topic) => topic.slug === slug));
  if (left.length === 0) return null;
  return (
    <p class="wrong" role="status">
      Not shown: {left.slice(0, 10).join(', ').slice(0, 300)}. Up to {MAX_TOPICS} topics can be compared, of
      the first {MAX_LISTED} that exist and are not removed.
    </p>
  );
}

function NothingChosen({ topics }: { topics: readonly TopicRow[] }) {
  return topics.length < 2 ? (
    <EmptyState
      words="A comparison needs two topics."
      todo={{ words: 'Watch something', href: '/new', scope: CREATE_TOPIC_SCOPES }}
    />
  ) : (
    <EmptyState
      words="Choose two or more topics."
      todo={{
        words: 'Compare the first topics',
        href: `/compare?topics=${topics
          .slice(0, 3)
          .map(({ slug }) => slug)
          .join(',')}`,
      }}
    />
  );
}
