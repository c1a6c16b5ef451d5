/** Topics beside each other. */
import { z } from 'zod';
import { DAY } from '../../../engine/clock.ts';
import { voicesByDay } from '../../../monitor/trend/share.ts';
import type { Database } from '../../../store/database.ts';
import { COMMON_KINDS, type CommonKind, readCommon } from '../../../store/reads/common-tops.ts';
import { readLeads } from '../../../store/reads/link-leads.ts';
import { meansOf, readVoiceDays } from '../../../store/reads/share-of-voice.ts';
import { readTopics, type TopicRow } from '../../../store/reads/topics.ts';
import type { ServiceKind } from '../../../store/services.ts';
import type { App, WebHome } from '../../routes.ts';
import { WATCHES } from '../kit/may.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Choice, RANGES, type Range } from './choice.tsx';
import { CommonThings } from './common.tsx';
import { Leads } from './leads.tsx';
import { Multiples, Share, type Voices } from './voices.tsx';

/** As many as lines can be told apart. */
const MOST_TOPICS = 6;
const MOST_ROWS = 5_000;
const MOST_COMMON = 10;
/** Common names are counted over the last days of the range. */
const COMMON_DAYS = 7;

const querystring = z.strictObject({
  topics: z.union([z.string(), z.array(z.string())]).optional(),
  range: z.enum(RANGES).optional(),
  common: z.enum(COMMON_KINDS).default('hashtag'),
});

export function comparePage(app: App, { ctx }: WebHome): void {
  app.get('/compare', { config: { scope: 'read' }, schema: { querystring } }, async (request, reply) => {
    const { common } = request.query;
    const all = await readTopics(ctx.db, { limit: 200 });
    const named = [...new Set([request.query.topics ?? []].flat().flatMap((one) => one.split(',')))].filter(
      (slug) => slug !== '',
    );
    const chosen = all.filter(({ slug }) => named.includes(slug)).slice(0, MOST_TOPICS);
    const range = request.query.range ?? usualRange(chosen, ctx.clock.now());
    const told =
      chosen.length < 2 ? null : await readCompared(ctx.db, ctx.clock.now(), { chosen, range, common });
    return showPage(request, reply, {
      title: 'Compare',
      here: '/compare',
      charts: told !== null,
      lead: 'How much of the talk each topic has, who has links first, and what they have in common.',
      body: (
        <>
          <Choice topics={all} chosen={chosen} range={range} most={MOST_TOPICS} />
          <Left named={named} chosen={chosen} />
          {told === null ? (
            <Nothing topics={all} />
          ) : (
            <>
              {told.kinds.map((voices) => (
                <>
                  <Share voices={voices} alone={told.kinds.length === 1} />
                  <Multiples voices={voices} />
                </>
              ))}
              {told.kinds.length > 0 ? null : (
                <Section title="Share of voice" id="share">
                  <Empty words="Nothing was found and nothing was observed of these topics in this time." />
                </Section>
              )}
              <Leads leads={told.leads} shared={told.shared} chosen={chosen} />
              <CommonThings
                kind={common}
                rows={told.common}
                chosen={chosen}
                range={range}
                days={COMMON_DAYS}
              />
            </>
          )}
        </>
      ),
    });
  });
}

/** A month, or a week where none of them is watched for longer. */
function usualRange(chosen: readonly TopicRow[], now: Date): Range {
  const young = chosen.every(({ created_at }) => now.getTime() - created_at.getTime() < 7 * DAY);
  return young ? '7d' : '30d';
}

/** Whole days up to today, which is not over. */
async function readCompared(
  db: Database,
  now: Date,
  { chosen, range, common: kind }: { chosen: readonly TopicRow[]; range: Range; common: CommonKind },
) {
  const days = Number.parseInt(range, 10);
  const until = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const from = new Date(until.getTime() - days * DAY);
  const topics = chosen.map(({ slug }) => slug);
  const span = { topics, from, until };
  const lately = {
    topics,
    from: new Date(now.getTime() - COMMON_DAYS * DAY),
    until: now,
    limit: MOST_COMMON,
  };
  const [rows, { leads, shared }, common] = await Promise.all([
    readVoiceDays(db, { ...span, limit: MOST_ROWS }),
    readLeads(db, { topics, from, until: now }),
    readCommon(db, kind, lately),
  ]);
  const means = meansOf(rows);
  const kinds = (['hosted', 'own', 'sandbox'] as const).flatMap((served): Voices[] => {
    const mine = means.filter((row) => row.service_kind === served);
    if (mine.length === 0) return [];
    const series = voicesByDay(
      rows.filter((row) => row.service_kind === served),
      { topics: topics.filter((topic) => mine.some((row) => row.topic === topic)), from, days },
    );
    return [{ kind: served satisfies ServiceKind, means: mine, series, from, days }];
  });
  return { kinds, leads, shared, common };
}

/** What was asked for and is not shown. */
function Left({ named, chosen }: { named: readonly string[]; chosen: readonly TopicRow[] }) {
  const left = named.filter((slug) => !chosen.some((one) => one.slug === slug));
  if (left.length === 0) return null;
  return (
    <p class="wrong" role="status">
      Not shown: {left.slice(0, 10).join(', ').slice(0, 300)}. A topic that is not there is none, and{' '}
      {MOST_TOPICS} are compared at most.
    </p>
  );
}

function Nothing({ topics }: { topics: readonly TopicRow[] }) {
  return topics.length < 2 ? (
    <Empty
      words="Two topics are needed to compare, and there are not as many."
      todo={{ words: 'Watch something', href: '/new', scope: WATCHES }}
    />
  ) : (
    <Empty
      words="Choose two topics or more."
      todo={{
        words: 'Or look at the first ones',
        href: `/compare?topics=${topics
          .slice(0, 3)
          .map(({ slug }) => slug)
          .join(',')}`,
      }}
    />
  );
}
