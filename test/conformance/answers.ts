/** The required form of a response, member by member. */
import { expectFlatMembers, judgeFlatAnswer, judgeFlatPosts } from './flat-answers.ts';
import type { Names } from './names.ts';
import {
  AI_ANSWER,
  AUTHOR,
  COMPLETION,
  GROUP,
  isObject,
  judgeMembers,
  KEY_ITEM,
  KEY_LISTS,
  type Members,
  POST,
  RESULT,
  shown,
  TEXT_CHUNKS,
} from './objects.ts';
import type { Report } from './report.ts';

const GROUPS: Readonly<Record<string, string>> = {
  'News Forum Search': 'news_forum_search_results',
  'Discussion Board Search': 'discussion_board_search_results',
  'Encyclopedia Search': 'encyclopedia_search_results',
  'Video Search': 'video_search_results',
  'Preprint Search': 'preprint_search_results',
};
const WITH_METADATA = ['Preprint Search', 'Encyclopedia Search'];

const AT = {
  answer: 'Resources / AI search response object',
  item: 'Resources / Search result item',
  key: 'Resources / Key item',
  completion: 'Resources / completion object',
  author: 'Resources / Microblog author',
  post: 'Resources / Microblog post',
  ruleA1: 'Endpoints / A / Rules 1',
  b: 'Endpoints / B / Response',
} as const;

/** Lists every member, so that one that never occurs is still reported. */
export function expectMembers(report: Report, names: Names): void {
  if (names.answers === 'flat') return expectFlatMembers(report);
  for (const [at, members] of [
    [AT.answer, { ...AI_ANSWER, ...prefixed('text_chunks', TEXT_CHUNKS), ...prefixed('a group', GROUP) }],
    [AT.item, RESULT],
    [AT.completion, COMPLETION],
    [AT.key, KEY_ITEM],
    [AT.post, POST],
    [AT.author, AUTHOR],
  ] as const) {
    for (const [name, { says }] of Object.entries(members)) report.expect(at, `${name} is ${says}`);
  }
  for (const tool of WITH_METADATA) report.expect(AT.item, `with_metadata is a boolean on ${tool}`);
}

export function judgeAiAnswer(report: Report, names: Names, answer: unknown, tools: readonly string[]): void {
  if (names.answers === 'flat') return judgeFlatAnswer(report, names, answer, tools);
  report.judge(AT.answer, 'is a JSON object', isObject(answer) ? null : `is ${shown(answer)}`);
  if (!isObject(answer)) return;
  judgeMembers(report, names, AT.answer, answer, AI_ANSWER);
  for (const [tool, name] of Object.entries(GROUPS))
    judgeGroup(report, names, answer, tool, name, tools.includes(tool));

  const chunks = answer['text_chunks'];
  if (isObject(chunks)) judgeMembers(report, names, AT.answer, chunks, TEXT_CHUNKS, 'text_chunks');
  const { completion } = answer;
  if (!isObject(completion)) return;
  judgeMembers(report, names, AT.completion, completion, COMPLETION);
  for (const name of KEY_LISTS) {
    const items = completion[names.member(name)];
    for (const item of Array.isArray(items) ? items : []) judgeMembers(report, names, AT.key, item, KEY_ITEM);
  }
  judgeLinks(report, answer);
  const summary = names.member('microblog_summary');
  const pieces = isObject(chunks) ? chunks[summary] : undefined;
  const joined = Array.isArray(pieces) ? pieces.join('') : undefined;
  report.judge(
    AT.answer,
    'text_chunks joined are the microblog summary',
    joined === completion[summary] ? null : `${shown(joined)} is not ${shown(completion[summary])}`,
  );
}

function judgeGroup(
  report: Report,
  names: Names,
  answer: Record<string, unknown>,
  tool: string,
  name: string,
  selected: boolean,
): void {
  const group = answer[names.member(name)];
  if (!selected) {
    const problem = group === undefined ? null : `is ${shown(group)}`;
    report.judge(AT.ruleA1, `${name} is absent when its tool is not selected`, problem, 'silent');
    return;
  }
  report.judge(
    AT.ruleA1,
    `${name} is there when its tool is selected`,
    isObject(group) ? null : `is ${shown(group)}`,
  );
  if (!isObject(group)) return;
  judgeMembers(report, names, AT.answer, group, GROUP, 'a group');
  const items = group['organic_results'];
  for (const item of Array.isArray(items) ? items : []) {
    judgeMembers(report, names, AT.item, item, RESULT);
    if (!isObject(item)) continue;
    const flag = item['with_metadata'];
    if (WITH_METADATA.includes(tool)) {
      const problem = typeof flag === 'boolean' ? null : `is ${shown(flag)}`;
      report.judge(AT.item, `with_metadata is a boolean on ${tool}`, problem);
    } else {
      const problem = flag === undefined ? null : `is ${shown(flag)} on ${tool}`;
      report.judge(AT.item, 'with_metadata is absent on the other groups', problem);
    }
  }
}

function judgeLinks(report: Report, answer: Record<string, unknown>): void {
  const found = answer['search_completion_links'];
  const cited = answer['completion_links'];
  if (!Array.isArray(found) || !Array.isArray(cited)) return;
  const invented = cited.find((link) => !found.includes(link));
  report.judge(
    AT.answer,
    'completion_links are among search_completion_links',
    invented === undefined ? null : `${shown(invented)} was not found`,
  );
}

export function judgeMicroblogAnswer(report: Report, names: Names, answer: unknown): void {
  const posts = isObject(answer) ? answer[names.member('miner_microblog_posts')] : undefined;
  report.judge(AT.b, 'miner_microblog_posts is an array', Array.isArray(posts) ? null : `is ${shown(posts)}`);
  if (names.answers === 'flat') return judgeFlatPosts(report, names, posts);
  for (const post of Array.isArray(posts) ? posts : []) {
    judgeMembers(report, names, AT.post, post, POST);
    if (isObject(post) && isObject(post['user']))
      judgeMembers(report, names, AT.author, post['user'], AUTHOR);
  }
}

function prefixed(within: string, members: Members): Members {
  return Object.fromEntries(Object.entries(members).map(([name, kind]) => [`${within}.${name}`, kind]));
}
