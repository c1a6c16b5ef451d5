/** Settings of channels: which kind they belong to, and what may be shown of them. */

import { HIDDEN, InvalidInput } from '../../model/errors.ts';
import type { ChannelKind, Settings } from './channels/channel-kind.ts';
import { CHANNEL_KINDS } from './channels/channel-kinds.ts';

/** Settings as given by a person, by name. */
export type WrittenSettings = Readonly<Record<string, string | undefined>>;

/** The kind of channel whose settings these are. @throws InvalidInput if they match no kind, or several */
export function pickKind(written: WrittenSettings): { kindName: string; kind: ChannelKind } {
  const isWritten = (name: string) => written[name] !== undefined;
  const kinds = Object.entries(CHANNEL_KINDS).map(([kindName, kind]) => ({ kindName, kind }));
  const named = kinds.filter(({ kind }) => Object.keys(kind.settings).some(isWritten));
  const [first] = named;
  if (first !== undefined && named.length === 1) return first;
  const [path = ''] = Object.keys((first ?? kinds[0])?.kind.settings ?? {});
  const value = first === undefined ? undefined : HIDDEN;
  throw new InvalidInput([{ path, given: value, expected: SETTINGS_OF_A_KIND }]);
}

/** `where to send messages: webhook; email; …; or telegram_chat and telegram_token`. Short: some doors cut long texts. */
export const SETTINGS_OF_A_KIND = `where to send messages: ${Object.values(CHANNEL_KINDS)
  .map(({ settings }) =>
    Object.entries(settings)
      .filter(([, { optional }]) => optional !== true)
      .map(([name]) => name)
      .join(' and '),
  )
  .join('; ')
  .replace(/; (?=[^;]*$)/, '; or ')}`;

export const NO_SUCH_SETTING = 'nothing: channels of this kind have no such setting';

/** @param written valid settings of any kind @throws InvalidInput unless they are of this kind */
export function assertSettingsOf({ settings }: ChannelKind, written: Settings): void {
  const problems = Object.keys(written)
    .filter((name) => !Object.hasOwn(settings, name))
    .map((path) => ({
      path,
      given: HIDDEN,
      expected: `${NO_SUCH_SETTING}; they have ${Object.keys(settings).join(', ')}`,
    }));
  if (problems.length > 0) throw new InvalidInput(problems);
}

/** A setting as it may be shown. `isPart`: only a part of it is shown. */
export type ShownSetting = { name: string; label: string; shown: string; isPart: boolean };

/** @param settings a secret setting may be missing @returns in the kind's order; the first is where the channel sends to */
export function showSettings(kind: ChannelKind, settings: Partial<Settings>): ShownSetting[] {
  return Object.entries(kind.settings).map(([name, setting]) => {
    const { label, secret, optional } = setting;
    const isPart = setting.show !== undefined;
    const value = settings[name];
    const missing = optional === true && !secret ? '' : HIDDEN;
    const shown = value === undefined ? missing : (setting.show?.(value) ?? (secret ? HIDDEN : value));
    return { name, label, shown, isPart };
  });
}
