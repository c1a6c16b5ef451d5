/** Writes a file as YAML, as people keep it: entry by entry, with turns of the event loop between them. */
import { isPlain } from '../../lib/json-values.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Document, isScalar, visit } from 'yaml';

/** Entries written between two turns. */
const BATCH = 10;

/** @param leftOut what the file lacks, as comments @param file as `describeAll` returns it */
export async function writeYaml(
  file: Readonly<Record<string, unknown>>,
  leftOut: readonly string[],
): Promise<string> {
  const comments = [
    'What strandline watches. After an edit: strandline plan -f FILE, then strandline apply -f FILE',
    'Secrets are "keep"; { env: NAME } or { file: PATH } sets them.',
    ...('name' in file ? [] : ['To own what is here, add a name: team-name']),
    ...leftOut.map((each) => `Not here, as no file has it: ${each}`),
  ];
  const parts = [comments.map((each) => `# ${each}\n`).join('')];
  let written = 0;
  for (const [member, value] of Object.entries(file)) {
    if (!isPlain(value)) {
      parts.push(writeEntry(member, value));
      continue;
    }
    const entries: string[] = [];
    for (const [key, entry] of Object.entries(value)) {
      written += 1;
      if (written % BATCH === 0) await nextTurn();
      // Not by ^, which also follows the line separators of Unicode, within a text.
      entries.push(writeEntry(key, entry).replaceAll(/(^|\n)(?=[^\n])/g, '$1  '));
    }
    // Topics are long: an empty line between them.
    parts.push(`${member}:\n${entries.join(member === 'topics' ? '\n' : '')}`);
  }
  return parts.join('\n');
}

/** A member of a file, or an entry of a member; lists of words are on one line. */
function writeEntry(key: string, value: unknown): string {
  const document = new Document({ [key]: value }, { aliasDuplicateObjects: false });
  visit(document, {
    Seq: (_key, node) => {
      node.flow = node.items.every((item) => isScalar(item) && !String(item.value).includes('/'));
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
