/**
 * How good the archive's search is, on a collection that people have judged: docs/internals/decisions.md says what the
 * figures mean. It prints and fails on nothing.
 *
 *   npm run -s bench:relevance -- --data FOLDER_OF_CRANFIELD
 */
import { parseArgs } from 'node:util';
import type { ParsedLink } from '../src/model/parsed-results.ts';
import { fillArchive } from '../src/store/archive/index-archive.ts';
import { type Collection, readCranfield } from './relevance/cranfield.ts';
import { mean, measureOne } from './relevance/measures.ts';
import { PREFIX, rankers } from './relevance/rankers.ts';
import { aligned } from './report.ts';
import { furnish, openStage, type Stage, START } from './stage.ts';
import { ours } from './ways/ours.ts';

const BATCH = 100;
/** A question that no document has all the words of. */
const LONG =
  'which heated slender bodies in hypersonic flow show laminar boundary layer transition near stagnation points';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (values.data === undefined) throw new Error('say where the collection is: --data FOLDER');
const collection = await readCranfield(values.data);
const stage = await openStage(4);
try {
  const { saveMs, indexMs } = await collect(stage, collection);
  print(
    `Cranfield: ${collection.documents.length} documents, ${collection.questions.length} questions; ` +
      `saved as links in ${saveMs.toFixed(0)} ms, indexed in ${indexMs.toFixed(0)} ms\n`,
  );
  const lines = [['ranker', 'nDCG@10', 'P@10', 'R@100', 'ms a question', 'hits of 15 words']];
  for (const [name, find] of Object.entries(rankers(stage.db))) {
    const before = performance.now();
    const measured = [];
    for (const { text, relevant } of collection.questions)
      measured.push(measureOne(await find(text), relevant));
    const each = (performance.now() - before) / collection.questions.length;
    const { ndcg10, precision10, recall100 } = mean(measured);
    const figures = [ndcg10, precision10, recall100].map((figure) => figure.toFixed(3));
    lines.push([name, ...figures, each.toFixed(1), String((await find(LONG)).length)]);
  }
  print(aligned(lines));
} finally {
  await stage.close();
}

/** The way of everything that is collected: saved by runs, then indexed. */
async function collect(
  { db }: Stage,
  { documents }: Collection,
): Promise<{ saveMs: number; indexMs: number }> {
  const { serviceId, searchIds } = await furnish(db, 'cranfield', 1);
  const [searchId] = searchIds;
  if (searchId === undefined) throw new Error('the benchmark has no search');
  const way = ours(db, serviceId);
  const before = performance.now();
  for (let from = 0; from < documents.length; from += BATCH) {
    const links = documents.slice(from, from + BATCH).map(linkOf);
    const findings = {
      posts: [],
      nestedPosts: [],
      authors: [],
      links,
      completion: null,
      rejects: [],
      warnings: [],
      tools: [],
      plan: null,
      pages: null,
      ownSources: [],
      itemsSeen: links.length,
    };
    const save = await way.prepare({ findings, searchId, at: START });
    await save();
  }
  const saved = performance.now();
  while (!(await fillArchive(db, { batches: 100 })));
  return { saveMs: saved - before, indexMs: performance.now() - saved };
}

function linkOf({ id, title, text }: Collection['documents'][number]): ParsedLink {
  const address = `${PREFIX}${id}`;
  return {
    canonical: address,
    addresses: [address],
    address,
    site: 'cranfield.example',
    source: 'preprint',
    title,
    snippet: text,
    summary_description: null,
    with_metadata: null,
    published_at: null,
    published_precision: null,
    publisher: null,
    highlights: null,
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
