/**
 * Two hundred questions, without a key: what the service answers over the stand-ins, and what somebody who read the answers
 * says of them. The rules were improved on the first hundred; the held-out one was written before any answer to it was read, and
 * nothing is improved on it. A judgement belongs to the words that were read: an answer that changed is unread until it is judged anew.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SOURCES } from '../../src/model/enumerations.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { runAiSearch } from '../../src/service/ai-search.ts';
import type { PageOpener } from '../../src/service/sources/pages/page-opener.ts';
import type { SearchSource } from '../../src/service/sources/search-source.ts';
import { ASKED_AT, type HeldItem, type Question, readAsked } from './asked.ts';
import { openHeldPages, openStandIns } from './stand-ins.ts';

/** `useful`: it answers. `half`: in part, doubtfully, or among much else. `none`: it does not, also where it says so. */
const VERDICTS = ['useful', 'half', 'none'] as const;
type Verdict = (typeof VERDICTS)[number];
type Judgement = { verdict: Verdict; reason: string };

type ReadAnswer = {
  question: Question;
  summary: string;
  /** Of what was read. */
  mark: string;
  judgement: Judgement | undefined;
  /** Whether the same question gives the same answer when all counters have moved. */
  isSteady: boolean;
};

/** The stand-ins hold what belongs to both hundreds when they are asked the second. */
export async function readAnswers(name: 'asked' | 'held-out'): Promise<ReadAnswer[]> {
  const others: HeldItem[] = name === 'asked' ? [] : readAsked('asked').held;
  const { questions, held } = readAsked(name, others);
  const judged = readJudgements(name);
  const pages = openHeldPages(held);
  const [before, after] = [openStandIns(held, 1), openStandIns(held, 23)];
  const answers: ReadAnswer[] = [];
  for (const question of questions) {
    const summary = await ask(before, pages, question);
    const mark = markOf(question, summary);
    const isSteady = (await ask(after, pages, question)) === summary;
    answers.push({ question, summary, mark, judgement: judged.get(mark), isSteady });
  }
  return answers;
}

async function ask(
  sources: readonly SearchSource[],
  pages: PageOpener,
  { prompt, dateFilter }: Question,
): Promise<string> {
  const answer = await runAiSearch(
    { sources, log: createLogger('silent'), model: undefined, webGroup: false, pages },
    { prompt, dateFilter, selected: SOURCES, model: 'ORBIT', at: ASKED_AT },
    { answers: 'grouped', linksOnly: false },
    new AbortController().signal,
  );
  if (!('text_chunks' in answer)) throw new Error('not the grouped form');
  return typeof answer.completion === 'string' ? answer.completion : (answer.completion?.summary ?? '');
}

function markOf({ prompt }: Question, summary: string): string {
  return createHash('sha256').update(`${prompt}\n${summary}`).digest('hex').slice(0, 12);
}

/** `mark | verdict | reason | question`, a line each. */
function readJudgements(name: 'asked' | 'held-out'): Map<string, Judgement> {
  const file = name === 'asked' ? 'judged.txt' : 'judged-held-out.txt';
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [mark = '', said = '', reason = ''] = line.split(' | ');
        const verdict = VERDICTS.find((known) => known === said);
        if (verdict === undefined) throw new Error(`no verdict: ${line}`);
        return [mark, { verdict, reason }];
      }),
  );
}

/** Of a hundred, how many must be useful, and how many may be no answer. */
const TARGETS = { useful: 60, none: 15 };

/** The answers with what was said of them, then the counts. @returns what misses its target */
export function reportAnswers(
  answers: readonly ReadAnswer[],
  print: (text: string) => void,
  inFull: boolean,
): string[] {
  for (const { question, summary, mark, judgement } of inFull ? answers : []) {
    print(
      `${question.prompt}\n  ${summary.replace(/\]\([^)]*\)/g, ']')}\n  ${mark} ${judgement?.verdict ?? 'unread'} ${judgement?.reason ?? ''}\n\n`,
    );
  }
  const count = (verdict: Verdict | undefined) =>
    answers.filter(({ judgement }) => judgement?.verdict === verdict).length;
  const [useful, none, unread] = [count('useful'), count('none'), count(undefined)];
  const unsteady = answers.filter(({ isSteady }) => !isSteady).length;
  print(
    `useful ${useful}, half ${count('half')}, none ${none}, unread ${unread}; changed by counters ${unsteady}\n`,
  );
  return [
    ...(useful < TARGETS.useful ? [`useful answers (${TARGETS.useful})`] : []),
    ...(none > TARGETS.none ? [`questions without an answer (${TARGETS.none})`] : []),
    ...(unread > 0
      ? ['unread answers: read them with --questions, and judge them in bench/answers/judged*.txt']
      : []),
    ...(unsteady > 0 ? ['answers that counters change'] : []),
  ];
}
