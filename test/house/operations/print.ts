/** Prints what commands need to know of operations into src/cli/operation-specs.json: `npm run -s operations:print`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Subject, SUBJECTS } from '../../../src/app/operations.ts';
import type { OperationSpec } from '../../../src/cli/operation-specs.ts';
import { type AnyOperation, listMembers } from '../../../src/monitor/operation.ts';
import { splitRequest } from '../../../src/monitor/request-parts.ts';
import { REPOSITORY } from '../sources.ts';
import { describeMember, listChoices } from './describe-member.ts';

export const SPECS_FILE = path.join(REPOSITORY, 'src/cli/operation-specs.json');

/** Of operations without a command, those that commands written by hand call. */
const CALLED: ReadonlySet<string> = new Set([
  'previewTopicPurge',
  'purgeTopic',
  'previewSearchPurge',
  'purgeSearch',
  'getStatus',
  'listServices',
  'find',
  'getTrends',
  'rebuildTrends',
  'compareTopics',
  'listGrowth',
  'getRun',
  'listRejects',
  'replayRun',
  'listDiscoveries',
  'followDiscoveries',
  'getDiscoveryGaps',
  'getRetention',
  'runRetention',
  'previewForget',
  'forgetAuthor',
  'getFirstView',
  'getSearch',
  'listIntervalChanges',
  'createSearch',
  'editSearch',
  'previewSearch',
  'previewSchedule',
  'runSearch',
  'trySearch',
  'watchTopic',
  'rewatchTopic',
  'mute',
  'unmute',
  'listMutes',
  'planFile',
  'applyFile',
  'describeFile',
]);

/** One operation a line. */
export async function printSpecs(): Promise<string> {
  const specs: OperationSpec[] = [];
  for (const [subject, load] of Object.entries(SUBJECTS) as [Subject, (typeof SUBJECTS)[Subject]][]) // keys of it
    for (const operation of (await load()) as readonly AnyOperation[])
      if (operation.command !== undefined || CALLED.has(operation.id))
        specs.push(describeOperation(subject, operation));
  return `[\n${specs.map((spec) => JSON.stringify(spec)).join(',\n')}\n]\n`;
}

function describeOperation(subject: Subject, operation: AnyOperation): OperationSpec {
  const { id, route, command, does, input, list, once, callsService, runsIn, sends, shortcuts, example } =
    operation;
  if (route === undefined) throw new Error(`${id} has a command and no route`);
  const { method, path: address, params, query } = splitRequest({ ...operation, route });
  const placeOf = (name: string) =>
    params.includes(name) ? 'params' : query.includes(name) ? 'query' : 'body';
  return {
    id,
    subject,
    ...(command === undefined ? {} : { command }),
    does,
    method,
    path: address,
    members: listMembers(input).map((name) => {
      const member = describeMember(input, name, placeOf(name));
      return sends === undefined ? member : { ...member, ...listChoices(input, name) };
    }),
    ...(list === undefined ? {} : { shown: list.shown ?? null }),
    ...(once === undefined ? {} : { once }),
    ...(callsService === undefined ? {} : { callsService }),
    ...(runsIn === undefined ? {} : { runsIn }),
    ...(sends === undefined ? {} : { sends }),
    ...(shortcuts === undefined ? {} : { shortcuts }),
    ...(example === undefined ? {} : { example }),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await writeFile(SPECS_FILE, await printSpecs());
