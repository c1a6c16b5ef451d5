/** Makes a rule send less, by one step: the preset of its messages, or the schedule of its digests. */
import { Refused } from '../../model/errors.ts';
import { formatCount } from '../../lib/display-format.ts';
import type { RuleRow } from '../../store/alerts/alert-queries.ts';
import type { ActingContext } from '../context.ts';
import { describeDigestSchedule, findFewerDigests } from '../schedule/digest-schedule.ts';
import { formatInterval } from '../../lib/format-interval.ts';
import { editRule, findRuleRow } from './manage-rules.ts';
import { findFewerMessages, findPreset, PRESET_WORDS, type PresetName } from './rule-presets.ts';
import type { EditedRule } from './rule-shapes.ts';

export type FewerStep = {
  /** What the rule sends, such as `a digest daily at 8:00`. */
  now: string;
  /** What it would send; null if there is no step left. */
  next: string | null;
  edit: EditedRule | null;
};

/** @param rule as stored @param at decides which time of day and weekday a rarer digest has */
export function planFewer(
  rule: Pick<RuleRow, 'digest' | 'tz' | 'kinds' | 'cooldown_seconds' | 'max_per_day'>,
  at: Date,
): FewerStep {
  if (rule.digest !== null) {
    const digest = findFewerDigests(rule.digest, rule.tz, at);
    const describe = (cron: string) => `a digest ${describeDigestSchedule(cron)} (${rule.tz})`;
    return {
      now: describe(rule.digest),
      next: digest === null ? null : describe(digest),
      edit: digest === null ? null : { digest },
    };
  }
  const preset = findPreset(rule);
  const now = preset === 'own' ? describeAmount(rule) : describePreset(preset);
  const fewer = findFewerMessages(rule);
  if (fewer === null) return { now, next: null, edit: null };
  if ('preset' in fewer) return { now, next: describePreset(fewer.preset), edit: fewer };
  const { cooldown_seconds: cooldown, max_per_day } = fewer;
  return { now, next: describeAmount(fewer), edit: { cooldown, max_per_day } };
}

const describePreset = (name: PresetName) => `${name}: ${PRESET_WORDS[name]}`;

function describeAmount({
  cooldown_seconds,
  max_per_day,
}: Pick<RuleRow, 'cooldown_seconds' | 'max_per_day'>) {
  const pause = cooldown_seconds === 0 ? 'at once' : `every ${formatInterval(cooldown_seconds)}`;
  return `${pause}, ${max_per_day === null ? 'no limit' : `at most ${formatCount(max_per_day, 'message')} a day`}`;
}

/** Takes one step. @throws Refused `not_found`; `conflict` if none is left */
export async function sendFewer(ctx: ActingContext, slug: string): Promise<RuleRow> {
  const { now, edit } = planFewer(await findRuleRow(ctx, slug), ctx.clock.now());
  if (edit === null)
    throw new Refused(
      'conflict',
      `the rule "${slug}" sends ${now} already; to send less, mute it for some time: strandline mute --rule ${slug} --until 7d, or pause it: strandline rules pause ${slug}`,
    );
  return editRule(ctx, slug, edit);
}
