/** Channels in files: their settings. Secret ones are `keep`, or a value that is compared and never shown. */
import { HIDDEN, InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { isPlain } from '../../lib/json-values.ts';
import { findVault } from '../../platform/vault.ts';
import { type Channel, findChannel, listChannels } from '../../store/alerts/channel-rows.ts';
import { openSettings } from '../alerts/channel-secrets.ts';
import { pickKind, showSettings } from '../alerts/channel-settings.ts';
import { newChannel } from '../alerts/channel-shapes.ts';
import { CHANNEL_KINDS, requireKind } from '../alerts/channels/channel-kinds.ts';
import type { Settings as ChannelSettings } from '../alerts/channels/channel-kind.ts';
import { changeChannel, createChannel, editChannel } from '../alerts/manage-channels.ts';
import type { Context } from '../context.ts';
import { decodeInput } from '../http/request-problems.ts';
import {
  declareResource,
  describeGiven,
  type Existing,
  findUnknownMembers,
  KEEP,
  type Reading,
} from './resource.ts';
import { isDeepStrictEqual } from 'node:util';

/** Its kind, and its settings by name, decrypted. */
type Channels = ChannelSettings & { kind: string };

const SETTING_NAMES = Object.values(CHANNEL_KINDS).flatMap(({ settings }) => Object.keys(settings));

function toExisting(channel: Channel, { config }: Pick<Context, 'config'>): Existing<Channels> {
  const { id, slug, kind, settings, sealed_settings } = channel;
  const vault = sealed_settings === null ? undefined : findVault(config);
  return {
    id,
    key: slug,
    parent: null,
    settings: { kind, ...openSettings(channel, vault) },
    stored: { kind, settings, sealed_settings },
  };
}

export const channelResource = declareResource<Channels>({
  name: 'channel',
  member: 'channels',
  table: 'channels',
  list: async (ctx, at) => {
    const { pool } = ctx.db;
    const rows = at === undefined ? await listChannels(pool) : [await findChannel(pool, at.key)];
    return rows.flatMap((row) => (row === null ? [] : [toExisting(row, ctx)]));
  },
  read: readChannel,
  toInput: ({ settings }) => {
    const kind = CHANNEL_KINDS[settings.kind];
    if (kind === undefined) return null;
    const shown = showSettings(kind, settings).filter(({ name }) => settings[name] !== undefined);
    return {
      kind: settings.kind,
      ...Object.fromEntries(
        shown.map(({ name, shown: text }) => [name, text === settings[name] ? text : KEEP]),
      ),
    };
  },
  show: ({ kind, ...settings }) => ({
    kind,
    ...Object.fromEntries(
      showSettings(requireKind(kind), settings)
        .filter(({ name }) => settings[name] !== undefined)
        .map(({ name, shown }) => [name, shown === settings[name] ? shown : describeHidden(shown)]),
    ),
  }),
  put: async (ctx, { key: slug, settings: { kind: _kind, ...settings } }, before) => {
    if (before === undefined) return { secret: (await createChannel(ctx, { slug, ...settings })).secret };
    await editChannel(ctx, slug, settings);
    return {};
  },
  remove: (ctx, { key }) => changeChannel(ctx, key, 'remove'),
});

const describeHidden = (shown: string) => (shown === HIDDEN ? HIDDEN : `${shown} ${HIDDEN}`);

async function readChannel(entry: unknown, { ctx, key: slug, before }: Reading<Channels>): Promise<Channels> {
  if (!isPlain(entry))
    throw new InvalidInput([
      { path: '', given: describeGiven(entry), expected: 'settings of a channel, such as webhook' },
    ]);
  const { kind: named, ...given } = entry;
  const problems: Problem[] = findUnknownMembers(given, ['kind', 'address', ...SETTING_NAMES]);
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const kept = value === KEEP ? before?.settings[name] : undefined;
    if (typeof value !== 'string')
      problems.push({
        path: name,
        given: describeGiven(value),
        expected: 'text, in quotes if it is a number; { env: NAME }, { file: PATH }, or keep',
      });
    else if (value === KEEP && kept === undefined)
      problems.push({
        path: name,
        given: KEEP,
        expected: `a value: there is nothing to keep, because the channel ${before === undefined ? 'does not exist yet' : 'has no such setting'}`,
      });
    written[name] = kept ?? value;
  }
  if (problems.length > 0) throw hideValues(problems);
  const settings = decodeSettings(slug, written);
  const { kindName, kind } = pickKind(settings);
  if (named !== undefined && named !== kindName)
    throw new InvalidInput([
      { path: 'kind', given: named, expected: `${kindName}, as its settings are of this kind` },
    ]);
  if (before !== undefined && before.settings.kind !== kindName)
    throw new InvalidInput([
      {
        path: 'kind',
        given: kindName,
        expected: `${before.settings.kind}: a channel keeps its kind; give the new one another slug`,
      },
    ]);
  const result = { kind: kindName, ...settings };
  if (isDeepStrictEqual(result, before?.settings)) return result;
  try {
    await kind.assertReachable(settings, { ...ctx.config.webhook, mail: ctx.config.mail });
  } catch (error) {
    if (error instanceof Refused)
      throw new InvalidInput([{ path: '', given: kindName, expected: error.message }]);
    throw error instanceof InvalidInput ? hideValues(error.problems) : error;
  }
  return result;
}

/** @throws InvalidInput without values, which may be secret */
function decodeSettings(slug: string, written: object): ChannelSettings {
  try {
    const { slug: _slug, ...settings } = decodeInput(newChannel, { slug, ...written });
    const texts = Object.entries(settings).filter(([, value]) => value !== undefined);
    return Object.fromEntries(texts) as ChannelSettings; // texts, as every setting is
  } catch (error) {
    throw error instanceof InvalidInput ? hideValues(error.problems) : error;
  }
}

function hideValues(problems: readonly Problem[]): InvalidInput {
  return new InvalidInput(
    problems.map((problem) => ({ ...problem, given: problem.given === KEEP ? KEEP : HIDDEN })),
  );
}
