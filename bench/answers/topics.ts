/**
 * Twenty topics, without a key: of the first ten things that a search finds, sources in turn and the best of each first, how many
 * somebody who watches the topic wants to see. `+` in topics/topics.txt says which, judged before any result was seen.
 */
import { SOURCES } from '../../src/model/enumerations.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { runAiSearch } from '../../src/service/ai-search.ts';
import { ASKED_AT, type HeldItem, readAsked } from './asked.ts';
import { openHeldPages, openStandIns } from './stand-ins.ts';

const SHOWN = 10;
const WANTED = 6;

type Shown = { text: string; isWanted: boolean };
type TopicList = { prompt: string; shown: Shown[] };

/** The stand-ins hold everything that is held for the questions, too. */
export async function readTopics(): Promise<TopicList[]> {
  const others = readAsked('held-out', readAsked('asked').held).held;
  const { questions, held } = readAsked('topics', others);
  const sources = openStandIns(held, 1);
  const pages = openHeldPages(held);
  const wanted = new Map(held.map((item) => [shownText(item), item.wantedBy]));
  const lists: TopicList[] = [];
  for (const [index, { prompt, dateFilter }] of questions.entries()) {
    const answer = await runAiSearch(
      { sources, log: createLogger('silent'), model: undefined, webGroup: true, pages },
      { prompt, dateFilter, selected: SOURCES, model: 'ORBIT', at: ASKED_AT },
      { answers: 'flat', linksOnly: false },
      new AbortController().signal,
    );
    if ('text_chunks' in answer) throw new Error('not the flat form');
    const found = SOURCES.map((source) =>
      (answer[source] ?? []).map((one) => ('title' in one ? one.title : one.text)),
    );
    const first = takeInTurn(found).slice(0, SHOWN);
    lists.push({ prompt, shown: first.map((text) => ({ text, isWanted: wanted.get(text) === index })) });
  }
  return lists;
}

const shownText = ({ kind, title, text }: HeldItem) => (kind === 'mastodon' ? text : title);

/** One of each source in turn, as on the first page of a topic. */
function takeInTurn(found: readonly (readonly string[])[]): string[] {
  const most = Math.max(0, ...found.map(({ length }) => length));
  return Array.from({ length: most }, (_, rank) => found.flatMap((of) => of[rank] ?? [])).flat();
}

/** Whether a text says something; an address alone does not. */
const isNamed = (text: string) => /[\p{L}\p{N}]/u.test(text.replace(/https?:\/\/\S+/g, ' '));

/** The lists, then how many of each are wanted. @returns what misses its target */
export function reportTopics(
  lists: readonly TopicList[],
  print: (text: string) => void,
  inFull: boolean,
): string[] {
  const isEnough = ({ shown }: TopicList) => shown.filter(({ isWanted }) => isWanted).length >= WANTED;
  const misses = lists.filter((list) => !isEnough(list) || !list.shown.every(({ text }) => isNamed(text)));
  for (const list of lists) {
    print(
      `${list.prompt}: ${list.shown.filter(({ isWanted }) => isWanted).length} of ${list.shown.length}\n`,
    );
    if (!inFull) continue;
    for (const { text, isWanted } of list.shown) print(`  ${isWanted ? '+' : ' '} ${text.slice(0, 100)}\n`);
  }
  print(`${lists.length - misses.length} of ${lists.length} with ${WANTED} wanted and no bare address\n`);
  return misses.map(({ prompt }) => `topic ${prompt}`);
}
