import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(json({ miner_tweets: [wirePost('1')] }));
});
afterAll(() => stand.close());

const add = (slug: string, ...more: string[]) => [
  'search',
  'add',
  slug,
  '--operation',
  'microblog',
  '--prompt',
  'harbour ferry',
  '--every',
  '15m',
  ...more,
];

type Saved = { sensitivity: string; version: number; request_version: number; labels: string[] };

describe('the sensitivity of a search', () => {
  it('is normal unless somebody says otherwise, and is shown', async () => {
    await stand.run(add('usual', '--topic', 'ferry'));
    await stand.run(add('keen', '--topic', 'ferry', '--sensitivity', 'HIGH'));
    expect(await stand.json<Saved>('search', 'show', 'usual')).toMatchObject({ sensitivity: 'normal' });
    expect((await stand.run(['search', 'show', 'keen'])).stdout).toMatch(/^sensitivity +high$/m);
  });

  it('is changed by itself, and what is compared with stays', async () => {
    const edited = await stand.json<Saved>('search', 'edit', 'keen', '--sensitivity', 'off');
    expect(edited).toMatchObject({ sensitivity: 'off', request_version: 1 });
    const { stderr } = await stand.run(['search', 'edit', 'keen', '--label', 'a']);
    expect(stderr).toBe('');
    expect(await stand.json<Saved>('search', 'show', 'keen')).toMatchObject({
      sensitivity: 'off',
      labels: ['a'],
    });
    expect((await stand.run(['search', 'edit', 'keen', '--sensitivity', 'off'])).stderr).toBe(
      'nothing changed\n',
    );
  });

  it('is one of four', async () => {
    const { code, stderr } = await stand.run(add('shy', '--sensitivity', 'shy'));
    expect([code, stderr]).toEqual([
      2,
      'error: sensitivity (--sensitivity): got "shy"; one of low, normal, high, off\n',
    ]);
  });
});
