/** Settings of channels: which kind they belong to, validation, and what may be shown of them. */

import { collectProblems, HIDDEN, InvalidInput, type Problem } from '../../domain/errors.ts';
import type { ChannelKind, Setting, Settings } from './channels/channel-kind.ts';
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
  const given = first === undefined ? undefined : HIDDEN;
  throw new InvalidInput([{ path, given, expected: SETTINGS_OF_A_KIND }]);
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

/** @throws InvalidInput with all problems */
export function readSettings({ settings }: ChannelKind, written: WrittenSettings): Settings {
  const problems: Problem[] = Object.entries(written).flatMap(([name, given]) =>
    given === undefined || Object.hasOwn(settings, name)
      ? []
      : [{ path: name, given: HIDDEN, expected: 'nothing: channels of this kind have no such setting' }],
  );
  const values = Object.entries(settings).map(([name, setting]) => [
    name,
    collectProblems(problems, () => readSetting(name, setting, written[name] ?? ''), ''),
  ]);
  if (problems.length > 0) throw new InvalidInput(problems);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

function readSetting(name: string, { shape, secret, read, optional }: Setting, given: string): string {
  if (optional === true && given.trim() === '') return '';
  const value = read?.(given) ?? given.trim();
  if (value !== '' && shape.safeParse(value).success) return value;
  const expected = shape.description ?? 'a valid value';
  throw new InvalidInput([{ path: name, given: secret && given !== '' ? HIDDEN : given, expected }]);
}

/** A setting as it may be shown. `isPart`: only a part of it is shown. */
export type ShownSetting = { name: string; label: string; shown: string; isPart: boolean };

/** @param settings a secret one may be missing @returns in the kind's order; the first is where the channel sends to */
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
