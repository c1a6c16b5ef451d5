/** Text that pages, forums and search engines add to what an author wrote. */

import { splitSentences } from '../../../lib/sentences.ts';

/** What a search engine writes before an excerpt: its date or age, and the counters of a thread. */
const EXCERPT_LEAD =
  /^(?:(?:\p{Lu}\p{L}{2,8}\.? \d{1,2}, \d{4}|\d{1,2} \p{L}{3,9}\.? \d{4}|\d{1,2} (?:second|minute|hour|day|week|month|year)s? ago)\s{1,4}(?:\.{3}|[·—–|•\ufffd-])\s{1,4}|(?:\d[\d.,]{0,9}[KkMm]?\+? (?:points?|comments?|votes?|upvotes?|replies|answers|views|likes|posts)(?:[.,]| [·—–|•-]) ?){1,4})/u;

/** A line or sentence that consists of counters: `107 votes, 53 comments.` */
const ONLY_COUNTERS =
  /^(?:-?\d[\d.,]{0,12}[KkMm]?\+?\s(?:points?|comments?|votes?|upvotes?|replies|answers|views|likes|posts|shares|subscribers|followers)(?:\s(?:in|by|on)\s\S{1,60})?[\s.,;·|–—-]{0,4}){1,6}$/u;

const OPENING =
  /^\W{0,4}(?:subscribe|sign (?:up|in)\b|log ?in\b|click\b|tap\b|skip to\b|jump to (?:content|navigation|search)\b|retrieved from \W|(?:read|learn|see|watch) more\b|view (?:a )?pdf|cite as\b|share this\b|follow (?:us|me)\b|check out (?:my|our|the new)\b|(?:shop|buy|order|vote|apply) (?:now|here|today)\b|get (?:my|our) (?:free )?newsletter|download (?:the|our) app|(?:please )?enable (?:javascript|cookies)|accept (?:all )?cookies|we use cookies|by continuing\b|copyright\b|©|advertisement\b|contribute to \S{1,80} development\b|have an idea for\b|(?:authors?|subjects?|title)\s?:|published in\b|edit\s?\d?\s?:|thanks for (?:watching|reading)\b)/iu;
const ANYWHERE =
  /\b(?:all rights reserved|uses cookies|privacy policy|cookie policy|terms of (?:use|service)|link in (?:the )?(?:bio|description)|view a pdf of the paper|arxivlabs|works with partners that adhere)\b/iu;

/** Whether a sentence tells a visitor what to do with the page, or consists of counters. */
export function isBoilerplate(sentence: string): boolean {
  return OPENING.test(sentence) || ANYWHERE.test(sentence) || ONLY_COUNTERS.test(sentence.trim());
}

/** Removes boilerplate sentences and the engine's own words before an excerpt. */
export function removeBoilerplate(excerpt: string): string {
  return splitSentences(excerpt.replace(EXCERPT_LEAD, ''))
    .filter((sentence) => !isBoilerplate(sentence))
    .join('')
    .trim();
}
