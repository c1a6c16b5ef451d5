/** The period that a prompt names: "today", "this week". It applies where the request leaves the period open. */

import type { DateFilter } from '../../model/enumerations.ts';
import { readQuestion } from './keywords.ts';

const patternOf = (words: string) => new RegExp(String.raw`(?<!\p{L})(?:${words})(?!\p{L})`, 'iu');

/** The longest first: "this year" with "today" is a year. */
const PERIODS: readonly (readonly [DateFilter, RegExp])[] = [
  [
    'PAST_2_YEARS',
    patternOf(
      "last year|letztes jahr|im letzten jahr|voriges jahr|l[’']année dernière|el año pasado|l[’']anno scorso|(?:o )?ano passado|vorig jaar|прошлом году",
    ),
  ],
  [
    'PAST_YEAR',
    patternOf(
      "this year|past year|dieses jahr|in diesem jahr|cette année|este año|quest[’']anno|este ano|dit jaar|этом году",
    ),
  ],
  [
    'PAST_2_MONTHS',
    patternOf(
      'last month|letzten monat|im letzten monat|le mois dernier|el mes pasado|il mese scorso|(?:o )?mês passado|vorige maand',
    ),
  ],
  [
    'PAST_MONTH',
    patternOf(
      'this month|past month|diesen monat|in diesem monat|ce mois(?:-ci)?|este mes|questo mese|este mês|deze maand|этом месяце',
    ),
  ],
  [
    'PAST_2_WEEKS',
    patternOf(
      'last week|letzte woche|in der letzten woche|la semaine dernière|la semana pasada|la settimana scorsa|(?:a )?semana passada|vorige week',
    ),
  ],
  [
    'PAST_WEEK',
    patternOf(
      'this week|past week|this weekend|diese woche|in dieser woche|cette semaine|esta semana|questa settimana|deze week|этой неделе',
    ),
  ],
  ['PAST_2_DAYS', patternOf('yesterday|last night|gestern|ayer|ieri|ontem|gisteren|вчера')],
  [
    'PAST_24_HOURS',
    patternOf("today|tonight|this morning|heute|aujourd[’']hui|hoy|oggi|hoje|vandaag|сегодня"),
  ],
];

const UNSPACED_PERIODS: readonly (readonly [DateFilter, RegExp])[] = [
  ['PAST_YEAR', /今年/u],
  ['PAST_MONTH', /今月|本月|这个月/u],
  ['PAST_WEEK', /今週|本周|这周/u],
  ['PAST_2_DAYS', /昨日|昨天/u],
  ['PAST_24_HOURS', /今日|今天/u],
];

/** "Hier" is yesterday in French, and here in German. */
const FRENCH_YESTERDAY = patternOf('hier');

/** @returns the shortest filter that covers what the prompt names; null if it names no period that ends now */
export function readAskedPeriod(prompt: string): DateFilter | null {
  const named = [...PERIODS, ...UNSPACED_PERIODS].find(([, words]) => words.test(prompt))?.[0];
  if (named !== undefined) return named;
  return FRENCH_YESTERDAY.test(prompt) && readQuestion(prompt).language === 'fr' ? 'PAST_2_DAYS' : null;
}
