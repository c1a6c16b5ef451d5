import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
});
afterAll(() => stand.close());
beforeEach(() => stand.stub.answers(json({ miner_tweets: [wirePost('1'), wirePost('2')] })));

describe('search add', () => {
  it('saves the search, looks at once where no worker lives, and prints both', async () => {
    const { code, stdout, stderr } = await stand.run([
      'search',
      'add',
      'ferry',
      '--operation',
      'microblog',
      '--prompt',
      'harbour ferry',
      '--every',
      '15m',
      '--json',
    ]);
    expect(stderr).toContain('ferry: first look: 2 posts, 2 authors (baseline)');
    expect(JSON.parse(stdout)).toMatchObject({
      slug: 'ferry',
      first_run: { status: 'succeeded', baseline: true },
    });
    expect(code).toBe(0);
  });
});
