/** Rules in files. The rule `system` exists from the start, so no file has it. */
import { InvalidInput, type Problem } from '../../model/errors.ts';
import { SYSTEM_RULE } from '../../model/alerts.ts';
import { isPlain } from '../../lib/json-values.ts';
import { readRule, readRules, type RuleRow } from '../../store/alerts/alert-queries.ts';
import { lockRuleChannels } from '../../store/alerts/channel-rows.ts';
import { lockRule } from '../../store/alerts/rule-rows.ts';
import { changeRule, putRule } from '../alerts/manage-rules.ts';
import { chooseDefaults, type NewRule, putRuleShape } from '../alerts/rule-shapes.ts';
import { decodeInput } from '../http/request-problems.ts';
import { writeDigestSchedule } from '../schedule/digest-schedule.ts';
import { formatInterval } from '../../lib/format-interval.ts';
import { declareResource, describeGiven, type Existing, findUnknownMembers, type Need } from './resource.ts';

type Written = Required<Omit<NewRule, 'slug' | 'preset'>>;
type RuleSettings = { [K in keyof Written]: Exclude<Written[K], undefined> };

const MEMBERS = Object.keys(putRuleShape.shape).filter((name) => name !== 'rule');
const MAX_RULES = 100_000;

const toExisting = (row: RuleRow): Existing<RuleSettings> => ({
  id: row.id,
  key: row.slug,
  parent: null,
  settings: {
    name: row.name,
    on: row.kinds.toSorted() as RuleSettings['on'], // a rule that is not `system` has no others
    topic: row.search === null ? row.topic : null,
    search: row.search,
    filter: row.filter,
    growth: row.growth,
    cooldown: row.cooldown_seconds,
    max_per_day: row.max_per_day,
    quiet_hours: row.quiet_hours,
    digest: row.digest,
    tz: row.tz,
    channels: row.channels.toSorted(),
  },
});

export const ruleResource = declareResource<RuleSettings>({
  name: 'rule',
  member: 'rules',
  table: 'rules',
  list: async ({ db }, at) => {
    const rows = at === undefined ? await readRules(db, { limit: MAX_RULES }) : [await readRule(db, at.key)];
    return rows.flatMap((row) => (row === undefined ? [] : [toExisting(row)]));
  },
  read: async (entry, { key }) => {
    if (key === SYSTEM_RULE)
      throw new InvalidInput([
        {
          path: '',
          given: key,
          expected: 'another slug: this rule exists from the start; change it by strandline rules edit',
        },
      ]);
    if (!isPlain(entry))
      throw new InvalidInput([
        { path: '', given: describeGiven(entry), expected: `members: ${MEMBERS.join(', ')}` },
      ]);
    const problems: Problem[] = findUnknownMembers(entry, MEMBERS);
    const known = Object.entries(entry).filter(([name]) => MEMBERS.includes(name));
    try {
      const { rule: _rule, ...written } = decodeInput(putRuleShape, {
        ...Object.fromEntries(known),
        rule: key,
      });
      if (problems.length === 0) return complete(key, written);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      problems.push(...error.problems);
    }
    throw new InvalidInput(problems);
  },
  needs: ({ topic, search, channels }) => {
    const need = (kind: string, key: unknown, path: string = kind): Need[] =>
      typeof key === 'string' ? [{ kind, key, path }] : [];
    const own: unknown[] = Array.isArray(channels) ? channels : [];
    return [
      ...own.flatMap((key) => need('channel', key, 'channels')),
      ...need('topic', topic),
      ...need('search', search),
    ];
  },
  toInput: ({ key, settings: { on, cooldown, channels, ...others } }) => {
    // A rule whose channels were removed, and the rule `system`.
    if (channels.length === 0 || key === SYSTEM_RULE) return null;
    const { name, topic, search, filter, growth, max_per_day, quiet_hours, digest, tz } = others;
    return {
      ...(name === key ? {} : { name }),
      on,
      ...(topic === null ? {} : { topic }),
      ...(search === null ? {} : { search }),
      ...(filter === '' ? {} : { filter }),
      ...(growth.length === 0 ? {} : { growth }),
      cooldown: formatInterval(cooldown),
      ...(max_per_day === null ? {} : { max_per_day }),
      ...(quiet_hours === null ? {} : { quiet_hours }),
      ...(digest === null ? {} : { digest: writeDigestSchedule(digest) }),
      ...(tz === 'UTC' ? {} : { tz }),
      channels,
    };
  },
  show: ({ cooldown, digest, ...settings }) => ({
    ...settings,
    cooldown: formatInterval(cooldown),
    digest: digest === null ? null : writeDigestSchedule(digest),
  }),
  // As an edit does, so that two of them do not wait for each other.
  lock: async (tx, { id, key }) => {
    await lockRuleChannels(tx, id);
    await lockRule(tx, key);
  },
  put: async (ctx, { key, settings }, before) => {
    await putRule(ctx, key, settings, { onlyCreate: before === undefined });
    return {};
  },
  remove: (ctx, { key }) => changeRule(ctx, key, 'remove'),
});

/** With the defaults of a new rule for what is not given. */
function complete(slug: string, written: Omit<NewRule, 'slug'>): RuleSettings {
  const { kinds, cooldown_seconds, max_per_day, quiet_hours, tz } = chooseDefaults(written);
  return {
    name: written.name ?? slug,
    on: (kinds as RuleSettings['on']).toSorted(), // a new rule has no others
    topic: written.topic ?? null,
    search: written.search ?? null,
    filter: written.filter ?? '',
    growth: written.growth ?? [],
    cooldown: cooldown_seconds,
    max_per_day: written.max_per_day === undefined ? max_per_day : written.max_per_day,
    quiet_hours: written.quiet_hours ?? quiet_hours,
    digest: written.digest ?? null,
    tz: written.tz ?? tz,
    channels: written.channels.toSorted(),
  };
}
