/** Validates rules as people write them, and reports all problems at once. */
import { DAY, HOUR, MINUTE, SECOND } from '../../domain/time.ts';
import { parseQuery } from '../../domain/search-query.ts';
import { collectProblems, InvalidInput, type Problem } from '../../domain/errors.ts';
import { RULE_KINDS, type RuleKind } from '../../model/alerts.ts';

/** How many days back a rule is previewed: a week has each weekday once. */
export const DEFAULT_BACKTEST_DAYS = 7;
export const MAX_BACKTEST_DAYS = 90;

/** A rule as written. Omitted members keep their values, or get the defaults of a new rule. */
export type WrittenRule = {
  name?: string | undefined;
  /** `post`, `link`, `spike`, `trend`. Default: posts and links. */
  on?: readonly string[] | undefined;
  /** Slug of the topic that it is limited to; null: all. */
  topic?: string | null | undefined;
  search?: string | null | undefined;
  filter?: string | undefined;
  /** `0`, or a time such as `30m` or `1h`. Default: {@link chooseCooldown}. */
  cooldown?: string | undefined;
  /** Slugs. */
  channels?: readonly string[] | undefined;
};

type CheckedRule = {
  name: string | undefined;
  kinds: RuleKind[] | undefined;
  filter: string | undefined;
  cooldown_seconds: number | undefined;
  channels: string[] | undefined;
};

/** What a new rule on posts or links waits between messages: at most nine a day. Spikes and trends are rare, and spikes urgent. */
export const DEFAULT_COOLDOWN = '3h';

/** The cooldown of a new rule that names none, in seconds. */
export function chooseCooldown(kinds: readonly RuleKind[]): number {
  return kinds.every((kind) => kind === 'spike' || kind === 'trend') ? 0 : parseCooldown(DEFAULT_COOLDOWN);
}

const MAX_RULE_NAME = 120;
const MAX_RULE_CHANNELS = 20;
const MAX_COOLDOWN_MS = 30 * DAY;

/** @throws InvalidInput */
export function checkRule(written: WrittenRule): CheckedRule {
  const problems: Problem[] = [];
  const { name, on, topic, search, filter, cooldown, channels } = written;
  if (typeof topic === 'string' && typeof search === 'string')
    problems.push({ path: 'search', given: search, expected: 'a topic or a search, not both' });
  if (name !== undefined && (name.trim() === '' || name.length > MAX_RULE_NAME))
    problems.push({ path: 'name', given: name, expected: `1 to ${MAX_RULE_NAME} characters` });
  if (channels !== undefined && (channels.length === 0 || channels.length > MAX_RULE_CHANNELS))
    problems.push({ path: 'channels', given: channels, expected: `1 to ${MAX_RULE_CHANNELS} channels` });
  const checked: CheckedRule = {
    name: name?.trim(),
    kinds: on === undefined ? undefined : parseKinds(on, problems),
    filter: filter?.trim(),
    cooldown_seconds:
      cooldown === undefined ? undefined : collectProblems(problems, () => parseCooldown(cooldown), 0),
    channels: channels === undefined ? undefined : [...new Set(channels)],
  };
  if (filter !== undefined) collectProblems(problems, () => parseQuery(filter, 'filter'), undefined);
  if (problems.length > 0) throw new InvalidInput(problems);
  return checked;
}

function parseKinds(on: readonly string[], problems: Problem[]): RuleKind[] {
  const kinds = new Set<RuleKind>();
  for (const given of on) {
    const kind = RULE_KINDS.find((name) => name === given.trim().toLowerCase().replace(/s$/, ''));
    if (kind === undefined)
      problems.push({ path: 'on', given, expected: `one or more of ${RULE_KINDS.join(', ')}` });
    else kinds.add(kind);
  }
  if (on.length === 0)
    problems.push({ path: 'on', given: [], expected: `one or more of ${RULE_KINDS.join(', ')}` });
  return [...kinds];
}

const COOLDOWN_UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** Parses `0`, `90s`, `15m`, `1h` or `2d` into seconds. @throws InvalidInput */
function parseCooldown(given: string): number {
  const text = given.trim().toLowerCase();
  if (text === '0') return 0;
  const [, amount, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const ms = Number(amount) * (COOLDOWN_UNITS[unit] ?? Number.NaN);
  if (ms <= MAX_COOLDOWN_MS) return ms / SECOND;
  throw new InvalidInput([
    { path: 'cooldown', given, expected: '0, or a duration of at most 30 days, such as 90s, 15m, 1h or 2d' },
  ]);
}
