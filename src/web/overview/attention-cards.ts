/** What may need a person, as cards: each with its reason and its action. Pure. */
import {
  type DateReader,
  formatCount,
  formatMinute,
  formatTenths,
  formatTimeOfDay,
} from '../../lib/display-format.ts';
import { groupBy } from '../../lib/group-by.ts';
import { capitalize, cleanLine } from '../../lib/text.ts';
import { SEARCH_STATUSES } from '../../model/closed-lists.ts';
import type { AnswerChange } from '../../model/statements/answer-change.ts';
import type { AttentionProblem } from '../../monitor/digests/read-attention.ts';
import { compareStatuses, type SearchStatus } from '../../monitor/status/search-status.ts';
import { STATUS_NAMES } from '../../monitor/status/status-names.ts';
import { composeReason } from '../../monitor/trends/rules/reason-sentence.ts';
import { composeSpikeSentences } from '../../monitor/trends/rules/spike-sentence.ts';
import { composeStateSentence } from '../../monitor/trends/rules/state-sentence.ts';
import type { ChangedAnswer, UndeliveredRow } from '../../store/queries/overview-activity.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import type { SpikeRow, TrendStateRow } from '../../store/queries/trend-reports.ts';
import { writeListPath } from '../components/list-address.ts';
import type { Ranked } from './rank-cards.ts';

export type Card = Ranked & {
  /** Names of topics, or of what strandline needs itself; may be untrusted. */
  title: string;
  /** What the title leads to. */
  href: string;
  /** What is the matter, such as `failing since 21 Nov, 21:58`. */
  headline: string;
  /** Why, in a sentence or two; null if that is not known. */
  reason: string | null;
  action:
    | { words: string; href: string }
    /** Where the card's button posts its form, and the fields of that form. */
    | { words: string; run: string; fields?: Readonly<Record<string, string>> };
};

export type CardFacts = {
  topics: readonly TopicRow[];
  searches: readonly SearchRow[];
  /** Of searches that do not do what they should. */
  troubled: readonly SearchStatus[];
  problems: readonly AttentionProblem[];
  undelivered: readonly UndeliveredRow[];
  /** Reported in the range, without those of one author or text. */
  spikes: readonly SpikeRow[];
  states: readonly TrendStateRow[];
  answers: readonly ChangedAnswer[];
  /** By completion, the most important first. */
  changes: ReadonlyMap<bigint, readonly AnswerChange[]>;
};

const MAX_NAMES = 3;

export function buildCards(facts: CardFacts, reader: { now: Date; zone: string }): Card[] {
  const names = new Map(facts.topics.map(({ slug, name }) => [slug, cleanLine(name)]));
  const name = (slug: string) => names.get(slug) ?? slug;
  return [
    ...buildTroubles(facts, name, reader),
    ...facts.problems.filter(({ event }) => event !== 'channel_dead').map(describeProblem),
    ...buildUndelivered(facts, reader),
    ...buildSpikes(facts.spikes, name, reader),
    ...buildAnswers(facts, name),
    ...buildLevels(facts.states, name, reader),
  ];
}

/** Searches with one status and reason are one card: a service that fails is one cause, however many topics use it. */
function buildTroubles(
  { troubled, searches }: CardFacts,
  name: (slug: string) => string,
  reader: DateReader & { now: Date },
): Card[] {
  const groups = groupBy(troubled, ({ status, reason }) => `${status} ${reason ?? ''}`);
  return [...groups.values()].map((unsorted): Card => {
    const its = unsorted.toSorted(compareStatuses);
    const [first] = its;
    if (first === undefined) throw new Error('a group has a first search');
    const topics = [...new Set(its.map(({ topic }) => topic))];
    const [topic = ''] = topics;
    const isOne = topics.length === 1;
    const all = searches.filter((search) => search.topic === topic).length;
    const part =
      isOne && its.length === all
        ? ''
        : isOne
          ? `${its.length} of ${formatCount(all, 'search', 'searches')} `
          : `${formatCount(its.length, 'search', 'searches')} `;
    const since = first.since === null ? '' : ` since ${formatMinute(first.since, reader)}`;
    return {
      kind: first.status === 'capped' ? 'limit' : 'stopped',
      weight: -SEARCH_STATUSES.indexOf(first.status),
      at: first.since ?? reader.now,
      title: listNames(topics.map(name)),
      href: isOne ? `/topics/${topic}` : findRuns(first),
      headline: capitalize(`${part}${STATUS_NAMES[first.status]}${since}`),
      reason: joinSentences(first.reason ?? 'Reason not recorded', first.advice),
      action: chooseAction(first, its.length === 1, isOne),
    };
  });
}

const findRuns = ({ status }: Pick<SearchStatus, 'status'>) =>
  status === 'failing' ? '/runs?status=failed' : '/runs';

function chooseAction(
  { status, search, topic }: SearchStatus,
  isAlone: boolean,
  isOneTopic: boolean,
): Card['action'] {
  if (status === 'failing' && isAlone) return { words: 'Run again', run: `/searches/${search}/run` };
  if (status === 'failing' && isOneTopic)
    return { words: 'Run again', run: `/topics/${topic}/run`, fields: { only: 'failing' } };
  if (isAlone) return { words: 'Show the search', href: `/searches/${search}` };
  return isOneTopic
    ? { words: 'Show the topic', href: `/topics/${topic}` }
    : { words: 'Show the runs', href: findRuns({ status }) };
}

function describeProblem({ event, title, since, reason, advice, page }: AttentionProblem): Card {
  return {
    kind: event === 'budget_low' ? 'limit' : 'stopped',
    // What stops everything comes before a search that fails.
    weight: event === 'nothing_ran' || event === 'worker_stopped' ? 1 : -SEARCH_STATUSES.length,
    at: new Date(since),
    title: 'strandline',
    href: page,
    headline: capitalize(title),
    reason: joinSentences(reason, advice),
    action: { words: 'Show what to do', href: page },
  };
}

/** A channel that delivers nothing, and messages that were given up, each channel once. */
function buildUndelivered({ problems, undelivered }: CardFacts, reader: DateReader): Card[] {
  const dead = problems.filter(({ event }) => event === 'channel_dead');
  const known = new Set(dead.map(({ subject }) => subject));
  return [
    ...dead.map((problem): Card => {
      const lost = undelivered.find(({ channel }) => channel === problem.subject)?.messages ?? 0;
      return {
        ...describeProblem(problem),
        kind: 'undelivered',
        weight: 1_000 + lost,
        title: `Alerts to ${problem.subject}`,
        headline: `Not delivered since ${formatMinute(new Date(problem.since), reader)}`,
        action: { words: 'Show the channel', href: problem.page },
      };
    }),
    ...undelivered
      .filter(({ channel }) => !known.has(channel))
      .map(
        ({ channel, messages, last_at }): Card => ({
          kind: 'undelivered',
          weight: messages,
          at: last_at,
          title: `Alerts to ${channel}`,
          href: `/alerts/channels/${channel}`,
          headline: `${formatCount(messages, 'message')} not delivered`,
          reason: `Given up, last on ${formatMinute(last_at, reader)}.`,
          action: { words: 'Show the messages', href: `/alerts/deliveries?channel=${channel}&state=dead` },
        }),
      ),
  ];
}

/** The strongest spike of each topic. */
function buildSpikes(
  spikes: readonly SpikeRow[],
  name: (slug: string) => string,
  reader: { now: Date; zone: string },
): Card[] {
  return [...groupBy(spikes, ({ topic }) => topic)].map(([topic, its]): Card => {
    const spike = its.reduce((a, b) => (b.score > a.score ? b : a));
    const [first, ...others] = composeSpikeSentences(spike, reader);
    const what = spike.measure === 'posts' ? 'posts' : 'reactions to known posts';
    const usual = spike.ratio === null || spike.usual < 1 ? null : spike.ratio;
    const from = formatMinute(spike.window_start, reader);
    const share = others.find((sentence) => sentence.startsWith('One post'));
    return {
      kind: 'spike',
      weight: spike.score,
      at: spike.window_end,
      title: name(topic),
      href: `/topics/${topic}`,
      headline:
        usual === null
          ? first.replace(/\.$/, '')
          : `${spike.lower_bound ? 'At least ' : ''}${formatTenths(usual)}× the usual ${what}, ${from} to ${formatTimeOfDay(spike.window_end, reader.zone)}`,
      reason: composeReason(spike, reader) ?? share ?? null,
      action:
        spike.measure === 'engagement' && spike.top_post_id !== null
          ? { words: 'Show the top post', href: `/posts/${spike.top_post_id}` }
          : {
              words: 'Show its posts',
              href: writeListPath(
                'posts',
                { topic, search: spike.search },
                { from: spike.window_start, to: spike.window_end },
              ),
            },
    };
  });
}

function buildAnswers({ answers, changes, searches }: CardFacts, name: (slug: string) => string): Card[] {
  const byId = new Map(searches.map((search) => [search.id, search]));
  const known = answers.flatMap((answer) => {
    const search = byId.get(answer.search_id);
    return search === undefined ? [] : [{ ...answer, search, its: changes.get(answer.completion_id) ?? [] }];
  });
  return [...groupBy(known, ({ search }) => search.topic)].map(([topic, changed]): Card => {
    const best = changed.reduce((a, b) => (weighChange(b.its) > weighChange(a.its) ? b : a));
    const [first] = best.its;
    const more = best.its.length - 1;
    const others = changed.length - 1;
    return {
      kind: 'answer',
      weight: weighChange(best.its),
      at: best.observed_at,
      title: name(topic),
      href: `/topics/${topic}`,
      headline:
        first === undefined ? 'The answer changed' : `${CHANGE_SIGNS[first.change]}${cleanLine(first.text)}`,
      reason: joinSentences(
        more > 0 ? `and ${formatCount(more, 'more change')}` : null,
        others > 0 ? `${formatCount(others, 'other answer')} of the topic changed, too` : null,
      ),
      action: {
        words: 'Show the change',
        href: `/searches/${best.search.slug}/completions?to=${best.run_id}`,
      },
    };
  });
}

/** A figure that changed says more than a new statement, and that more than a change that was not compared. */
const weighChange = ([first]: readonly AnswerChange[]) =>
  first === undefined ? 0 : first.change === 'revised' ? 2 : 1;

const CHANGE_SIGNS = { added: '+ ', removed: '− ', revised: '' } as const;

/** States that began, and go on. */
function buildLevels(
  states: readonly TrendStateRow[],
  name: (slug: string) => string,
  reader: { now: Date; zone: string },
): Card[] {
  const current = states.filter(({ state, until }) => state !== 'normal' && until === null);
  return [...groupBy(current, ({ topic }) => topic)].map(([topic, its]): Card => {
    const state = its.reduce((a, b) => (b.at > a.at ? b : a));
    return {
      kind: 'level',
      weight: state.state === 'silent' ? 1 : 0,
      at: state.at,
      title: name(topic),
      href: `/topics/${topic}`,
      headline: composeStateSentence(state, reader).replace(/\.$/, ''),
      reason: null,
      action: { words: 'Show the volume', href: `/searches/${state.search}?range=30d#volume` },
    };
  });
}

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more` : names.join(', ');
}

function joinSentences(...parts: readonly (string | null)[]): string | null {
  const sentences = parts.flatMap((part) =>
    part === null || part === '' ? [] : [capitalize(part).replace(/\.?$/, '.')],
  );
  return sentences.length === 0 ? null : sentences.join(' ');
}
