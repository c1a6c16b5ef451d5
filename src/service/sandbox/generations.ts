/**
 * The shapes that answers of operation A have had: 1 is the specification's; in 2 each group is a list of
 * groups; 3 is flat, with a completion that is a text and bare numbers for citations.
 */
import type { AiAnswer } from '../../contract/ai-answer.ts';
import type { Source } from '../../contract/enumerations.ts';
import type { ResultGroup } from '../../contract/result-item.ts';
import { GROUPS } from '../assemble.ts';

export type Generation = 1 | 2 | 3;

/** How a group that found nothing has looked. */
export const EMPTY_FORMS = ['list', 'object', 'null', 'absent'] as const;
export type EmptyForm = (typeof EMPTY_FORMS)[number];

type GroupName = (typeof GROUPS)[keyof typeof GROUPS] & keyof AiAnswer;

/** The groups that an answer has, in the order of the sources. */
export function groupNames(answer: AiAnswer): GroupName[] {
  return groupsOf(answer).map(([name]) => name);
}

function groupsOf(answer: AiAnswer): [GroupName, Source][] {
  const all = Object.entries(GROUPS) as [Source, GroupName][]; // Object.entries forgets the keys
  return all.flatMap(([source, name]) => (answer[name] === undefined ? [] : [[name, source]]));
}

/** An answer in one of the shapes, with its empty groups in one of their forms. */
export function inGeneration(
  answer: AiAnswer,
  generation: Generation,
  empty: EmptyForm | undefined,
): Record<string, unknown> {
  const { completion, text_chunks, search_completion_links, completion_links, ...rest } = answer;
  const isGroup = new Set<string>(Object.values(GROUPS));
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !isGroup.has(name)));
  const groups = groupsOf(answer).flatMap(([name, source]): [string, unknown][] => {
    const member = generation === 3 ? source : name;
    const group = answer[name];
    if (group === undefined) return [];
    if (group.organic_results.length > 0 || empty === undefined) return [[member, shaped(group, generation)]];
    return empty === 'absent' ? [] : [[member, emptied(empty)]];
  });
  const shapes = Object.fromEntries(groups);
  if (generation !== 3) {
    return { ...others, ...shapes, text_chunks, search_completion_links, completion_links, completion };
  }
  const relevance = ['HIGH', 'MEDIUM', 'LOW'];
  return {
    ...others,
    ...shapes,
    // What no group holds was found on the web.
    web: webOf(answer),
    completion: completion.summary,
    miner_link_scores: Object.fromEntries(
      search_completion_links.map((link, i) => [link, relevance[Math.min(2, Math.floor(i / 5))]]),
    ),
  };
}

function shaped(group: ResultGroup, generation: Generation): unknown {
  if (generation === 1) return group;
  return generation === 2 ? [group] : group.organic_results;
}

function emptied(form: Exclude<EmptyForm, 'absent'>): unknown {
  if (form === 'null') return null;
  return form === 'list' ? [] : {};
}

function webOf(answer: AiAnswer): { title: string; url: string; snippet: string }[] {
  const grouped = new Set(
    groupsOf(answer).flatMap(([name]) => answer[name]?.organic_results.map(({ link }) => link) ?? []),
  );
  return answer.search_completion_links
    .filter((link) => !grouped.has(link))
    .map((link) => ({ title: new URL(link).hostname, url: link, snippet: '' }));
}
