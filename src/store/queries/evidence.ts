/** Responses as evidence: what was asked when, and what the service sent. */
import { createHash } from 'node:crypto';
import type { Operation } from '../../model/enumerations.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { decodeBody } from '../runs/responses.ts';

/** A call of a run that was answered. What its response contained is null once it has expired. */
export type EvidenceResponse = {
  run_id: Id;
  call: number;
  search: string;
  topic: string;
  service: string;
  service_kind: ServiceKind;
  operation: Operation;
  prompt: string;
  sent_at: Date;
  received_at: Date | null;
  http_status: number | null;
  content_type: string | null;
  bytes: number | null;
  /** In hexadecimal, of the bytes as received; written when the response was stored. */
  sha256: string | null;
  /** Whether the stored bytes still have this hash; null if they were not read. */
  sha256_matches: boolean | null;
  body: string | null;
  body_encoding: 'text' | 'base64' | null;
};

type ResponseRow = Omit<EvidenceResponse, 'sha256_matches' | 'body' | 'body_encoding'>;

/** A body that is not UTF-8 is written as base64. */
function encodeText(body: Buffer): Pick<EvidenceResponse, 'body' | 'body_encoding'> {
  try {
    return {
      body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body),
      body_encoding: 'text',
    };
  } catch {
    return { body: body.toString('base64'), body_encoding: 'base64' };
  }
}

/**
 * The answered calls of runs, in the order in which they were sent, with the bodies that fit.
 * @param limits.bytes of all bodies together
 */
export async function readEvidenceResponses(
  { pool }: Pooled,
  runIds: readonly Id[],
  limits: { bytes: number },
): Promise<EvidenceResponse[]> {
  const rows = await rowsOf<ResponseRow>(
    pool,
    statement`SELECT c.run_id, c.n AS call, s.slug AS search, t.slug AS topic, v.name AS service, v.kind AS service_kind, s.operation, q.prompt,
        c.sent_at, c.received_at, a.http_status, a.content_type, a.bytes, encode(a.sha256, 'hex') AS sha256
      FROM strandline.calls c
      JOIN strandline.runs r ON r.id = c.run_id
      JOIN strandline.searches s ON s.id = r.search_id
      JOIN strandline.topics t ON t.id = s.topic_id
      JOIN strandline.services v ON v.id = c.service_id
      JOIN strandline.search_versions q ON q.search_id = r.search_id AND q.version = r.version
      LEFT JOIN strandline.responses a ON a.run_id = c.run_id AND a.n = c.n
      WHERE c.run_id = ANY (${runIds}::bigint[]) AND c.state = 'received'
      ORDER BY c.sent_at, c.run_id, c.n`,
  );
  let room = limits.bytes;
  const responses: EvidenceResponse[] = [];
  for (const row of rows) {
    const fits = row.bytes !== null && row.bytes <= room;
    if (fits) room -= row.bytes ?? 0;
    responses.push({ ...row, ...(fits ? await readBody(pool, row) : NOT_READ) });
  }
  return responses;
}

const NOT_READ = { sha256_matches: null, body: null, body_encoding: null } as const;

async function readBody(
  pool: Pooled['pool'],
  { run_id, call, sha256 }: ResponseRow,
): Promise<Pick<EvidenceResponse, 'sha256_matches' | 'body' | 'body_encoding'>> {
  const [stored] = await rowsOf<{ body: Buffer }>(
    pool,
    statement`SELECT body FROM strandline.responses WHERE run_id = ${run_id} AND n = ${call}`,
  );
  // It may have expired since.
  if (stored === undefined) return NOT_READ;
  const body = await decodeBody(stored.body);
  return { sha256_matches: createHash('sha256').update(body).digest('hex') === sha256, ...encodeText(body) };
}
