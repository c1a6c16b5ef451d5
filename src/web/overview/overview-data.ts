/** Everything that the overview shows, read concurrently: a statement for all topics each, and none per topic. */
import { awaitMembers } from '../../lib/await-members.ts';
import { DAY } from '../../lib/time.ts';
import { readProblems, SPIKE_LOOK_BACK_MS } from '../../monitor/digests/read-attention.ts';
import { listTroubled, readSearchStatuses } from '../../monitor/status/search-status.ts';
import type { Context } from '../../monitor/context.ts';
import { readSavedViews } from '../../store/access/saved-views.ts';
import { readAnswerChanges } from '../../store/queries/answer-changes.ts';
import {
  countNewByTopic,
  readChangedAnswers,
  readNewStories,
  tallyRunParts,
  tallyUndelivered,
} from '../../store/queries/overview-activity.ts';
import { readUnresponsiveTools } from '../../store/queries/run-tools.ts';
import { readSearchDays, readSearchesNow, readSpikeDays } from '../../store/queries/search-activity.ts';
import { readSearches } from '../../store/queries/search-list.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { readSpikes, readTrendStates } from '../../store/queries/trend-reports.ts';
import { readBuckets } from '../../store/queries/volume.ts';
import { readPauseOfAll } from '../../store/topics/pauses.ts';
import { computeRange } from '../topic/time-range.ts';
import type { CardFacts } from './attention-cards.ts';
import type { OverviewRange } from './overview-range.ts';
import { buildPulses, findYoungSearches, PULSE_DAYS, RUN_PARTS } from './topic-pulses.ts';

/** Including removed ones. */
const MAX_SEARCHES = 4_000;
const MAX_BUCKETS = 50_000;
const MAX_STORIES = 20;
/** Others are on their page. */
const MAX_VIEWS = 12;
/** Answers whose changes are read; of others, only that they changed is known. */
const MAX_COMPARED = 12;
export async function readOverview(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  {
    topics,
    now,
    range,
    isHidden,
  }: {
    topics: readonly TopicRow[];
    now: Date;
    range: OverviewRange;
    /** Of new stories those that a person hides. */
    isHidden: boolean;
  },
) {
  const { db } = ctx;
  const { from, until } = range;
  // The same hours as on the page of a topic, and in its list.
  const lately = computeRange('24h', now);
  const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const past = new Date(today.getTime() - PULSE_DAYS * DAY);
  const partMs = Math.max(1, ((until ?? now).getTime() - from.getTime()) / RUN_PARTS);
  const everySearch = await readSearches(db, { removed: true, limit: MAX_SEARCHES });
  const searches = everySearch.filter(({ archived_at }) => archived_at === null);
  const searchIds = searches.map(({ id }) => id);
  const { statuses, spikes, states, answers, ...read } = await awaitMembers({
    searchesNow: readSearchesNow(db, lately),
    statuses: readSearchStatuses(ctx),
    days: readSearchDays(db, { from: past, until: today, searchIds: everySearch.map(({ id }) => id) }),
    news: countNewByTopic(db, range),
    runs: tallyRunParts(db, range, { parts: RUN_PARTS, partMs }),
    stories: readNewStories(db, range, { isHidden, limit: MAX_STORIES }),
    answers: readChangedAnswers(db, range),
    spikeDays: readSpikeDays(db, past),
    spikes: readSpikes(db, searchIds, new Date(from.getTime() - SPIKE_LOOK_BACK_MS)),
    states: readTrendStates(db, searchIds, from),
    problems: readProblems(db, now),
    undelivered: tallyUndelivered(db, range),
    tools: readUnresponsiveTools(db, {}),
    pause: readPauseOfAll(db),
    views: readSavedViews(db, { limit: MAX_VIEWS }),
    hours: readBuckets(db, {
      searchIds: findYoungSearches(searches, now),
      per: 'hour',
      from: lately.from,
      until: lately.until,
      limit: MAX_BUCKETS,
    }),
  });
  const isInRange = ({ at }: { at: Date }) => at >= from && (until === null || at < until);
  const changes = await readAnswerChanges(
    db.pool,
    answers.slice(0, MAX_COMPARED).map(({ completion_id }) => completion_id),
  );
  const cardFacts: CardFacts = {
    topics,
    searches,
    // What is wrong now is not about a range that is over.
    troubled: until === null ? listTroubled(statuses) : [],
    problems: until === null ? read.problems : [],
    undelivered: read.undelivered,
    spikes: spikes.filter((spike) => isInRange(spike) && spike.only_by === null),
    states: states.filter(isInRange),
    answers,
    changes,
  };
  const pulses = buildPulses({
    topics,
    searches,
    everySearch,
    now: read.searchesNow,
    statuses,
    days: read.days,
    hours: read.hours,
    spikeDays: read.spikeDays,
    news: read.news,
    runs: read.runs,
    today,
    lately,
  });
  const { stories, tools, pause, views } = read;
  return { pulses, cardFacts, stories, tools, pause, views };
}
