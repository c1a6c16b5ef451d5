import { expect, test } from 'vitest';
import { pageWithRows } from './page.ts';
import { ROWS } from './rows/all.ts';

test('the page matches the rows (npm run -s test:faults:page writes it)', async () => {
  const { page, wanted } = await pageWithRows();
  expect(page).toBe(wanted);
});

test('no two rows have the same id', () => {
  expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
});
