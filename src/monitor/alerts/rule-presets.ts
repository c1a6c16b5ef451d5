/** How much a rule sends, in one word: fewer, balanced, more. Not stored: a rule has the preset that its settings equal. */
import type { RuleKind } from '../../model/alerts.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';

type PresetSettings = {
  kinds: readonly RuleKind[];
  cooldown_seconds: number;
  /** Null: no limit. */
  max_per_day: number | null;
};

export const PRESET_NAMES = ['fewer', 'balanced', 'more'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/**
 * The cooldown of `balanced` divides a day into as many messages as its limit allows beside spikes, so that posts of the evening do
 * not wait for the next day; `test/tell/two-weeks.test.ts` measures it.
 */
const PRESETS: Readonly<Record<PresetName, PresetSettings>> = {
  fewer: { kinds: ['post', 'link', 'spike'], cooldown_seconds: DAY / SECOND, max_per_day: 2 },
  balanced: { kinds: ['post', 'link', 'spike'], cooldown_seconds: (6 * HOUR) / SECOND, max_per_day: 5 },
  more: { kinds: ['post', 'link', 'spike', 'trend'], cooldown_seconds: HOUR / SECOND, max_per_day: null },
};

/** What each preset means, for people. */
export const PRESET_WORDS: Readonly<Record<PresetName, string>> = {
  fewer: 'once a day, and spikes at once; at most 2 messages a day',
  balanced: 'every 6 hours, and spikes at once; at most 5 messages a day',
  more: 'every hour, and spikes at once; trends, too; no limit',
};

/** The settings of a preset, as a rule stores them. */
export function readPreset(name: PresetName): PresetSettings & { kinds: RuleKind[] } {
  return { ...PRESETS[name], kinds: [...PRESETS[name].kinds] };
}

/** The preset that the settings of a rule equal; `own` if they equal none. */
export function findPreset({
  kinds,
  cooldown_seconds,
  max_per_day,
}: Omit<PresetSettings, 'kinds'> & { kinds: readonly string[] }): PresetName | 'own' {
  const same = PRESET_NAMES.find((name) => {
    const preset = PRESETS[name];
    return (
      preset.cooldown_seconds === cooldown_seconds &&
      preset.max_per_day === max_per_day &&
      preset.kinds.length === kinds.length &&
      preset.kinds.every((kind) => kinds.includes(kind))
    );
  });
  return same ?? 'own';
}

/** The members of a rule that decide how much it sends. */
type SentAmount = Omit<PresetSettings, 'kinds'> & { kinds: readonly string[] };

/** One step down: the next preset, or own settings with the cooldown and limit of a preset where these are stricter. */
type FewerMessages = { preset: PresetName } | Omit<PresetSettings, 'kinds'>;

/** Null: it sends as little as `fewer`, or less. */
export function findFewerMessages(rule: SentAmount): FewerMessages | null {
  const preset = findPreset(rule);
  if (preset === 'fewer') return null;
  if (preset !== 'own') return { preset: preset === 'more' ? 'balanced' : 'fewer' };
  for (const { cooldown_seconds: cooldown, max_per_day: most } of [PRESETS.balanced, PRESETS.fewer]) {
    const cooldown_seconds = Math.max(cooldown, rule.cooldown_seconds);
    const limits = [most, rule.max_per_day].filter((limit) => limit !== null);
    const max_per_day = limits.length === 0 ? null : Math.min(...limits);
    if (cooldown_seconds > rule.cooldown_seconds || max_per_day !== rule.max_per_day)
      return { cooldown_seconds, max_per_day };
  }
  return null;
}
