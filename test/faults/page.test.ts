import { expect, test } from 'vitest';
import { pageWithRows } from './page.ts';
import { ROWS } from './rows/all.ts';

test('the page has the rows as they are (npm run -s test:faults:page writes them)', async () => {
  const { page, wanted } = await pageWithRows();
  expect(page).toBe(wanted);
});

test('no two rows have one name', () => {
  expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
});
