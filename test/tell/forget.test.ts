import { afterAll, beforeAll, expect, test } from 'vitest';
import { SECOND } from '../../src/lib/time.ts';
import { resendMessages } from '../../src/monitor/alerts/resend.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { read, status } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const by = (name: string, text: string) => ({
  text,
  user: { id: `9${name.length}77`, username: name, name },
});

async function forget(name: string): Promise<void> {
  const author = await findAuthor(stage.world.db, 'hosted', `@${name}`);
  if (author === undefined) throw new Error(`${name} is not known`);
  await forgetAuthor(stage.world.ctx, author);
}

const stillSaid = async (word: string) =>
  (await stage.rows(`SELECT id FROM strandline.deliveries d WHERE position($1 IN d::text) > 0`, [word]))
    .length;

test('a forgotten author appears in no message, sent or not; the rest of a message is still sent', async () => {
  const search = await stage.search('memory');
  const [open, sent, dead] = [
    await stage.channel('open'),
    await stage.channel('sent'),
    await stage.channel('dead'),
  ];
  await stage.rule('memory', ['open', 'sent', 'dead'], { search: 'memory' });
  await stage.finds(search, [by('marigold', 'a marigold secret'), by('someone', 'something else')]);
  stage.receiver.answers(status(500, {}, 'marigold, you say'), '/open');
  stage.receiver.answers(status(410), '/dead');
  await stage.tell(open, sent, dead);
  expect(await stillSaid('marigold')).toBe(3);

  await forget('marigold');
  expect(await stillSaid('marigold')).toBe(0);
  expect((await stage.deliveries('sent'))[0]).toMatchObject({
    state: 'delivered',
    bytes: null,
    discoveries: 1,
  });

  stage.receiver.answers(status(200), '/open');
  stage.world.clock.advance(10 * SECOND);
  expect(await stage.tell(open)).toBe(1);
  const last = stage.receiver.received.at(-1) ?? { body: '' };
  expect(read(last).data.discoveries).toMatchObject([{ post: { text: 'something else' } }]);

  await resendMessages(stage.world.ctx, { channel: 'dead' });
  expect((await stage.deliveries('dead'))[0]).toMatchObject({ state: 'gathering' });
});

test('a message without remaining content is cancelled, with the reason', async () => {
  const search = await stage.search('alone');
  const channel = await stage.channel('alone');
  await stage.rule('alone', 'alone', { search: 'alone' });
  await stage.finds(search, [by('periwinkle', 'all by myself')]);
  await stage.tell();
  await forget('periwinkle');
  expect(await stage.tell(channel)).toBe(0);
  expect(await stage.deliveries('alone')).toMatchObject([
    { state: 'cancelled', reason: expect.stringContaining('nothing that it reports') as unknown },
  ]);
});
