/** An address for each route with a page, so that tests of all pages have those that are added later. */

/** What the step of a path after a word is, where it is no id. */
export type StepNames = Readonly<Record<string, string>>;

const QUERIES: Readonly<Record<string, string>> = {
  '/api/v1/find': '?text=lantern',
  '/explore': '?q=lantern',
  '/selection': '?do=mute&topics={topics}',
  '/api/v1/trends/voices': '?topics={topics}',
};

/** @param url the pattern of a route; ids are that of the first row @param names such as the slug of `topics` */
export function fillPath(url: string, names: StepNames): string {
  const steps = url.split('/');
  const filled = steps.map((step, i) => (step.startsWith(':') ? (names[steps[i - 1] ?? ''] ?? '1') : step));
  return `${filled.join('/')}${(QUERIES[url] ?? '').replaceAll('{topics}', names['topics'] ?? '')}`;
}
