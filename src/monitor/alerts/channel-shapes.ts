/** Input of operations on channels: members are the settings of each kind. Pure. */
import { z } from 'zod';
import { collectProblems, type Problem } from '../../model/errors.ts';
import { parseWebUrl } from '../../model/links/link.ts';
import { channelSlug, flagParam } from '../../model/value-shapes.ts';
import { commandWords } from '../operation.ts';
import { NO_SUCH_SETTING, SETTINGS_OF_A_KIND } from './channel-settings.ts';
import type { ChannelKind, Setting } from './channels/channel-kind.ts';
import { CHANNEL_KINDS } from './channels/channel-kinds.ts';
import { RECOGNIZED_ADDRESSES, recognizeAddress } from './recognize-address.ts';

const MAX_ADDRESS = 4_000;

const words = { argument: 'channel', help: 'channel slug' };
const slug = channelSlug.clone().register(commandWords, words);
const channel = channelSlug.clone().register(commandWords, words);

/** A setting as it is stored, with what is expected where it is invalid. */
function defineSetting(kind: ChannelKind, name: string, setting: Setting) {
  const { shape, read, input, secret, optional } = setting;
  const { description = 'A valid value.' } = shape;
  const normalize = (raw: unknown, ctx: z.core.ParsePayload) => {
    if (optional === true && typeof raw === 'string' && raw.trim() === '') return undefined;
    const text = typeof raw === 'string' ? raw.trim() : '';
    const problems: Problem[] = [];
    const value = collectProblems(problems, () => read?.(text) ?? text, '');
    const expected =
      problems[0]?.expected ??
      findOtherKind(kind, value) ??
      (value !== '' && shape.safeParse(value).success ? undefined : description);
    if (expected !== undefined) ctx.issues.push({ code: 'custom', message: expected, input: value });
    return value;
  };
  const stored = z.preprocess(normalize, optional === true ? shape.optional() : shape);
  return (optional === true ? stored.optional() : stored)
    .describe(description)
    .register(commandWords, secret ? { file: true } : { flag: `--${name.replaceAll('_', '-')} <${input}>` });
}

/** What is wrong with an address at a service that has a kind of its own. */
function findOtherKind(kind: ChannelKind, value: string): string | undefined {
  const host = parseWebUrl(value)?.hostname;
  if (host === undefined) return undefined;
  const [owner, { settings = {} } = {}] =
    Object.entries(CHANNEL_KINDS).find(([, { hosts }]) => hosts?.test(host)) ?? [];
  if (owner === undefined || CHANNEL_KINDS[owner] === kind) return undefined;
  return `an address elsewhere: messages to ${host} need a channel of kind ${owner} (${Object.keys(settings)[0]}, or address, which is recognized)`;
}

const settingsByKind = Object.entries(CHANNEL_KINDS).map(([kindName, kind]) => {
  const settings = Object.entries(kind.settings);
  return {
    kindName,
    shape: Object.fromEntries(settings.map(([name, setting]) => [name, defineSetting(kind, name, setting)])),
    example: Object.fromEntries(settings.map(([name, { example }]) => [name, example])),
  };
});

/** Objects with all settings of one kind of channel. */
function defineBodies<M extends z.ZodRawShape>(members: M, example: object) {
  const error = ({ code }: { code: string }) => (code === 'unrecognized_keys' ? NO_SUCH_SETTING : undefined);
  return settingsByKind.map((kind) =>
    z
      .strictObject({ ...members, ...kind.shape }, { error })
      .meta({ examples: [{ ...example, ...kind.example }] }),
  );
}

/** An address whose kind is recognized, with settings that it lacks. Its output has the settings of the kind instead. */
const channelByAddress = z
  .strictObject({
    slug,
    address: z
      .string(SETTINGS_OF_A_KIND)
      .min(1)
      .max(MAX_ADDRESS)
      .describe(`Recognized: ${RECOGNIZED_ADDRESSES}.`)
      .register(commandWords, {
        argument: 'address',
        file: true,
        help: `where to send, recognized by its form: ${RECOGNIZED_ADDRESSES}`,
      }),
    ...Object.fromEntries(
      settingsByKind.flatMap(({ shape }) =>
        Object.entries(shape).map(([name, setting]) => [name, setting.optional()] as const),
      ),
    ),
  })
  .meta({ examples: [{ slug: 'team', address: 'https://ntfy.sh/my-secret-topic' }] })
  .check((payload) => {
    const { slug: name, address, ...others } = payload.value;
    const recognized = recognizeAddress(address);
    const shape = settingsByKind.find(({ kindName }) => kindName === recognized?.kindName)?.shape;
    const refuse = (path: PropertyKey[], message: string) =>
      payload.issues.push({ code: 'custom', path, message, input: payload.value });
    if (recognized === null || shape === undefined) {
      refuse(['address'], RECOGNIZED_ADDRESSES);
      return;
    }
    const read = z.strictObject(shape).safeParse({ ...others, ...recognized.settings });
    if (read.success) payload.value = { slug: name, ...read.data } as typeof payload.value; // the settings of its kind
    for (const issue of read.error?.issues ?? [])
      if (issue.code === 'unrecognized_keys') for (const key of issue.keys) refuse([key], NO_SUCH_SETTING);
      else refuse(issue.path, issue.message);
  });

/** The body of one kind of channel. Its example is that of the first kind. */
function oneOf(bodies: readonly z.ZodObject[]) {
  const { examples = [] } = bodies[0]?.meta() ?? {};
  return z.union(bodies, { error: SETTINGS_OF_A_KIND }).meta({ examples });
}

export const newChannel = oneOf([...defineBodies({ slug }, { slug: 'team' }), channelByAddress]);
export const editedChannel = oneOf(defineBodies({ channel }, {}));
export const namedChannel = z.strictObject({ channel });
export const resumedChannel = z.strictObject({
  channel,
  skip: flagParam
    .optional()
    .describe('Skip discoveries made in the meantime.')
    .register(commandWords, { flag: '--skip', help: 'skip what was found in the meantime' }),
});

/** Commands that create a channel of each kind. */
export const NEW_CHANNEL_EXAMPLES = [
  '--address-file address.txt',
  ...Object.values(CHANNEL_KINDS).map(({ settings }) =>
    Object.entries(settings)
      .map(([name, { secret, example }]) => {
        const flag = `--${name.replaceAll('_', '-')}`;
        return secret ? `${flag}-file ${name}.txt` : `${flag} ${example}`;
      })
      .join(' '),
  ),
].map((options) => `strandline channels add ops ${options}`);
