/** Routes whose reply is bytes: by hand in the API, and here, in a process without a server. */
import { Refused } from '../model/errors.ts';
import type { Context } from '../monitor/context.ts';
import type { MemberSpec, OperationSpec } from './operation-specs.ts';

type ByteReply = Pick<
  OperationSpec,
  'id' | 'subject' | 'does' | 'method' | 'path' | 'members' | 'callsService'
>;

export const RUN_ANSWER: ByteReply = {
  id: 'getRunAnswer',
  subject: 'runs',
  does: 'Download the raw response of a run',
  method: 'GET',
  path: '/api/v1/runs/{run}/answer',
  members: listMembers('params', 'run'),
};

/** All rows of a kind; a process without a server reads its database itself. */
export const EXPORT_ROWS: ByteReply = {
  id: 'exportRows',
  subject: 'status',
  does: 'Export rows',
  method: 'GET',
  path: '/api/v1/exports/{kind}',
  members: listMembers('params', 'kind'),
};

/** The result of a SQL statement, as JSON of any size; a process without a server asks its database itself. */
export const QUERY_SQL: ByteReply = {
  id: 'querySql',
  subject: 'status',
  does: 'Run a SQL query',
  method: 'POST',
  path: '/api/v1/sql',
  members: listMembers('body', 'sql'),
};

/** One message of the Model Context Protocol; only a server takes it. */
export const ASSISTANT: ByteReply = {
  id: 'callAssistantTool',
  subject: 'status',
  does: 'Call a tool of assistants',
  method: 'POST',
  path: '/mcp',
  callsService: true,
  members: listMembers('body', 'jsonrpc', 'id', 'method', 'params'),
};

/** Members that no option of a command sets by itself. */
function listMembers(place: MemberSpec['in'], ...names: readonly string[]): MemberSpec[] {
  return names.map((name) => ({ name, in: place, flag: '', help: '' }));
}

/** Reads the bytes of such a reply in this process. @throws Refused `not_found` */
export async function openHere(
  { db }: Pick<Context, 'db'>,
  { id }: ByteReply,
  members: Readonly<Record<string, unknown>>,
): Promise<AsyncIterable<Uint8Array>> {
  if (id !== RUN_ANSWER.id) throw new Error(`${id} is no reply of bytes`);
  const [{ loadNewestResponse }, { findRunRow }] = await Promise.all([
    import('../store/runs/responses.ts'),
    import('../monitor/topics/find-by-slug.ts'),
  ]);
  const run = BigInt(String(members['run']));
  await findRunRow(db, run);
  const stored = await loadNewestResponse(db, run);
  if (stored === null) throw new Refused('not_found', `run ${run} has no stored response`);
  return toStream(stored.body);
}

async function* toStream(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

export async function readText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read).toString('utf8');
}
