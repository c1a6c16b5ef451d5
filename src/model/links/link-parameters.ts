/** Which query parameters select what a page shows, and which only say how a reader came to it. */

import { createHostTable } from '../../lib/host-table.ts';
import { LISTED_BY_SITE, LISTED_PARAMETERS, OWN_BY_SITE, OWN_PARAMETERS } from './tracking-parameters.ts';

/** A parameter as it is written, `name=value`, with its name apart. */
export type Parameter = { name: string; pair: string };

/** Names of parameters, in lower case: whole ones, and how others begin. */
type Names = { whole: ReadonlySet<string>; beginnings: readonly string[] };

/** The tables as they are read: every name, and the names of each site. */
export const TRACKING_NAMES = readNames(`${LISTED_PARAMETERS} ${OWN_PARAMETERS}`);
export const TRACKING_NAMES_BY_SITE = [...readSites(LISTED_BY_SITE), ...readSites(OWN_BY_SITE)];
const BY_SITE = createHostTable(TRACKING_NAMES_BY_SITE);

/** `source=rss`, `partner=rss-feed`: that a feed had it says nothing of the page. `feed=rss` does: it selects a feed. */
const FROM_A_FEED = /^(?:source|src|ref|referer|referrer|from|partner|origin|via|medium|campaign|cmp)=rss/i;
const AMP_OUTPUT = /^outputtype=amp$/i;

/** Without the parameters that do not identify a link. Others keep their order and spelling. */
export function keepIdentifying(host: string, parameters: readonly Parameter[]): Parameter[] {
  if (parameters.length === 0) return [];
  const tracking = [TRACKING_NAMES, ...BY_SITE.find(host)];
  return parameters.filter(({ name, pair }) => {
    const lower = name.toLowerCase();
    return (
      !tracking.some(
        ({ whole, beginnings }) => whole.has(lower) || beginnings.some((start) => lower.startsWith(start)),
      ) &&
      !FROM_A_FEED.test(pair) &&
      !AMP_OUTPUT.test(pair)
    );
  });
}

function readNames(text: string): Names {
  const names = text.split(/\s+/).filter((name) => name !== '');
  return {
    whole: new Set(names.filter((name) => !name.endsWith('*'))),
    beginnings: names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
  };
}

function readSites(table: string): [host: string, names: Names][] {
  return table
    .trim()
    .split(/\n(?! )/)
    .map((line) => {
      const [host = '', names = ''] = line.split(': ', 2);
      return [host, readNames(names)];
    });
}
