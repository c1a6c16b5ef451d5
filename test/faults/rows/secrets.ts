/** Keys that are changed, removed, or wrong. Leaked secrets are searched for in test/security/canaries.test.ts. */
import assert from 'node:assert/strict';
import { connect } from '../../../src/platform/postgres/connect.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../../src/monitor/alerts/manage-rules.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../../src/monitor/topics/search-state.ts';
import { type Canaries, dumpDatabase, sungIn } from '../../security/traces.ts';
import { json as answer, startProvider } from '../../service/sources/provider.ts';
import type { Row } from '../row.ts';
import { gated, ownPosts, posts, status } from '../scripts.ts';
import type { Script } from '../service.ts';
import type { Stage } from '../stage.ts';

const KEYS = { old: 'canary-key-of-yesterday-5d1f', new: 'canary-key-of-today-8a2c' };
const OTHER_MASTER = 'canary-master-key-of-somebody-else-91e0';

/** None of these stands in the database or in a log. */
async function nobodyTells(stage: Stage, logs: readonly string[], secrets: Canaries): Promise<void> {
  const client = await connect(stage.env['DATABASE_URL'] ?? '', 'test');
  try {
    assert.deepEqual(sungIn(`${await dumpDatabase(client)}\n${logs.join('\n')}`, secrets), []);
  } finally {
    await client.end();
  }
}

export const SECRETS: readonly Row[] = [
  {
    id: 'F83',
    title:
      'a key revoked during a call stops the searches that use it, and no others; with the new key they continue, and neither key is exposed',
    core: true,
    env: { SEARCH_API_KEY: KEYS.old },
    play: async (stage) => {
      let valid = KEYS.old;
      const checked: Script = (asked, response) =>
        (asked.headers.authorization === valid ? ownPosts : status(401))(asked, response);
      const gate = gated(checked);
      stage.service.answers([checked, gate.script, checked]);
      const microblog = await startProvider(answer([]));
      const own = {
        SERVICE_SOURCES: 'mastodon',
        SERVICE_SOURCE_URLS: `mastodon=${microblog.url}`,
        SERVICE_PORT: '0',
      };
      const before = await stage.start(own);
      await stage.ended((await stage.add(1)).runId);
      const other = await createSearch(
        { ...stage.ctx, ownSources: () => Promise.resolve('answering') },
        { slug: 'search-2', operation: 'microblog', prompt: '2', every: '366d', service: 'own' },
      );
      assert.equal((await stage.ended(other.firstRunId)).status, 'succeeded');

      const runId = await stage.again(1);
      await stage.until('its call is under way', () => Promise.resolve(stage.service.asked.length === 2));
      valid = KEYS.new;
      gate.open();
      assert.equal((await stage.ended(runId)).code, 'auth');
      await stage.until('it is stopped, and the other is not', async () => {
        const states = await stage.rows('SELECT state FROM strandline.searches ORDER BY slug');
        return states.map(({ state }) => state).join() === 'broken,active';
      });
      assert.equal((await stage.ended(await stage.again(2))).status, 'succeeded');
      await before.stop();

      const after = await stage.start({ ...own, SEARCH_API_KEY: KEYS.new });
      await changeSearch(stage.ctx, 'search-1', 'resume');
      assert.equal((await stage.ended(await stage.again(1))).status, 'succeeded');
      await nobodyTells(stage, [...before.log, ...after.log], KEYS);
    },
    // The own service asks its provider, and no script.
    except: {
      U4: 'the calls of the own service are asked of no service of the row',
      U6: 'nor is what it answers',
    },
  },
  {
    id: 'F83 master',
    title:
      'a worker with another master key sends nothing and names the missing key; one with the right key sends the message',
    core: true,
    play: async (stage) => {
      const { secret } = await createChannel(stage.ctx, {
        slug: 'channel',
        webhook: `${stage.receiver.url}/channel`,
      });
      await createRule(stage.ctx, { slug: 'channel', on: ['post'], cooldown: 0, channels: ['channel'] });
      const wrong = await stage.start({ MASTER_KEY: OTHER_MASTER });
      stage.service.answers(posts([]));
      await stage.ended((await stage.add(1)).runId);
      stage.service.answers(posts(['11']));
      await stage.ended(await stage.again(1));
      await stage.until('it says so', () =>
        Promise.resolve(wrong.log.some((line) => /sealed with the master key [0-9a-f]{8}/.test(line))),
      );
      await wrong.stop();
      assert.deepEqual(stage.receiver.received, []);
      assert.deepEqual(await stage.rows('SELECT state, code FROM strandline.deliveries'), [
        { state: 'pending', code: 'secret' },
      ]);
      const right = await stage.start();
      await stage.until('it is delivered', () =>
        Promise.resolve(stage.receiver.taken('/channel').length === 1),
      );
      const master = stage.env['MASTER_KEY'] ?? '';
      await nobodyTells(stage, [...wrong.log, ...right.log], {
        secret: String(secret),
        master,
        other: OTHER_MASTER,
      });
    },
  },
];
