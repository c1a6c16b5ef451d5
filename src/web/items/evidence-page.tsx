/** Evidence of a thing: what is stored of it, the hashes of the raw responses that say so, and all of it as a file. */
import { SearchLink } from '../components/scope-names.tsx';
import { z } from 'zod';
import { formatTimeToSecond } from '../../lib/display-format.ts';
import { toJson } from '../../lib/json-values.ts';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../model/closed-lists.ts';
import { Refused } from '../../model/errors.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { type Evidence, readEvidence } from '../../monitor/items/read-evidence.ts';
import type { Id } from '../../store/db/database.ts';
import { readSpikeBriefs } from '../../store/queries/briefs.ts';
import { BriefBlock } from '../components/brief.tsx';
import { Table } from '../components/data-table.tsx';
import { Facts } from '../components/fact-list.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { formatCount } from '../components/numbers.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';
import { requireKey } from '../request-input.ts';

const params = z.object({ kind: z.string().max(20), id: z.string().max(40) });

/** What a person calls it. */
const NAMES: Readonly<Record<EvidenceKind, string>> = {
  post: 'post',
  link: 'link',
  completion: 'answer',
  spike: 'spike',
};

/** The path of the evidence of a thing. */
export const evidencePath = (kind: EvidenceKind, id: Id): string => `/evidence/${kind}/${id}`;

/** The last line of what a page says about a thing. */
export function EvidenceLink({ kind, id }: { kind: EvidenceKind; id: Id }) {
  return (
    <p class="muted">
      <a href={evidencePath(kind, id)}>Evidence</a>: the raw responses with their hashes, as a file
    </p>
  );
}

function requireThing(given: z.infer<typeof params>): { kind: EvidenceKind; id: Id } {
  const kind = EVIDENCE_KINDS.find((name) => name === given.kind);
  if (kind === undefined)
    throw new Refused(
      'not_found',
      `there is evidence of: ${EVIDENCE_KINDS.join(', ')}; not of "${given.kind}"`,
    );
  return { kind, id: requireKey(kind, given.id) };
}

export function addEvidencePages(app: App, { ctx }: RouteContext): void {
  const options = { config: { scope: 'read' }, schema: { params } } as const;
  app.get('/evidence/:kind/:id', options, async (request, reply) => {
    const thing = requireThing(request.params);
    const isSpike = thing.kind === 'spike' && ctx.briefWriter !== null;
    const [evidence, briefs] = await Promise.all([
      readEvidence(ctx, thing),
      isSpike ? readSpikeBriefs(ctx.db, [thing.id]) : null,
    ]);
    const name = NAMES[thing.kind];
    return renderPage(request, reply, {
      title: `Evidence of ${name} ${thing.kind === 'completion' ? `of run ${thing.id}` : thing.id}`,
      here: '/explore',
      above: <a href={evidence.page}>{`The ${name}`}</a>,
      body: (
        <>
          <BriefBlock brief={briefs?.get(thing.id) ?? null} span="posts below, and not in the file" />
          <Subject evidence={evidence} />
          <Responses evidence={evidence} />
          <Sightings evidence={evidence} />
          <SpikePosts evidence={evidence} />
        </>
      ),
    });
  });
  app.get('/evidence/:kind/:id/file', options, async (request, reply) => {
    const { kind, id } = requireThing(request.params);
    const evidence = await readEvidence(ctx, { kind, id });
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', `attachment; filename="evidence-${kind}-${id}.json"`)
      .header('x-content-type-options', 'nosniff')
      .send(toJson(evidence, 2));
  });
}

/** To the second and in UTC, whoever reads it. */
function Second({ at }: { at: Date }) {
  return <time dateTime={at.toISOString()}>{`${formatTimeToSecond(at, 'UTC')} UTC`}</time>;
}

/** The text at first sight: of a post with versions, the earliest. */
function readFirstText({ subject, versions }: Evidence): string | null {
  const [first] = versions as readonly { text?: string | null }[]; // rows of `post_versions`
  const { text, url, summary, sentence } = subject as Partial<Record<string, string | null>>; // a row of its view
  return first?.text ?? text ?? sentence ?? summary ?? url ?? null;
}

function Subject({ evidence }: { evidence: Evidence }) {
  const { kind, id, made_at, made_by, versions, counters, addresses, is_sample } = evidence;
  const text = readFirstText(evidence);
  const { url } = evidence.subject as { url?: string | null }; // of posts and links
  return (
    <Section
      title={kind === 'post' ? 'Text at first sight' : 'What was found'}
      id="subject"
      note={is_sample ? 'Everything in the sandbox is simulated.' : undefined}
    >
      {text === null ? null : (
        <p class="whole">
          <UntrustedText text={text} most={20_000} />
        </p>
      )}
      <Facts
        label="About this evidence"
        facts={[
          ['Original', typeof url === 'string' ? <ExternalLink href={url} text={url} /> : null],
          ['Made', <Second at={made_at} />],
          ['By', made_by],
          ['Texts', kind === 'post' ? formatCount(Math.max(versions.length, 1), 'version') : null],
          ['Counters', kind === 'post' ? formatCount(counters.length, 'change') : null],
          ['Returned as', kind === 'link' ? formatCount(addresses.length, 'address', 'addresses') : null],
          [
            'File',
            <a href={`${evidencePath(kind, id)}/file`} download={`evidence-${kind}-${id}.json`}>
              Download as JSON
            </a>,
          ],
        ]}
      />
    </Section>
  );
}

function Responses({ evidence: { responses } }: { evidence: Evidence }) {
  return (
    <Section
      title="Raw responses"
      id="responses"
      note="What the service sent to the runs that first saw it, or saw it changed. The SHA-256 is of the bytes as received, and was written when the response was stored. The file contains the responses, the earliest first, up to 1 MB."
    >
      <Table
        empty="No response is recorded."
        caption="Raw responses, in the order in which they were asked for"
        rows={responses}
        columns={[
          {
            head: 'Run',
            cell: ({ run_id }) => <a href={`/runs/${run_id}`}>{String(run_id)}</a>,
            number: true,
          },
          { head: 'Search', cell: ({ search }) => <SearchLink slug={search} /> },
          {
            head: 'Received',
            cell: ({ received_at }) => (received_at === null ? 'unknown' : <Second at={received_at} />),
          },
          {
            head: 'Bytes',
            cell: ({ bytes }) => bytes ?? 'expired',
            number: true,
          },
          { head: 'SHA-256', cell: ({ sha256 }) => (sha256 === null ? '' : <code>{sha256}</code>) },
          { head: 'Checked', cell: describeCheck },
        ]}
      />
    </Section>
  );
}

/** What is not in the file was not read, so it is not said to be right. */
function describeCheck({ sha256_matches, bytes }: Evidence['responses'][number]): string {
  if (sha256_matches === true) return 'hash matches';
  if (sha256_matches === false) return 'hash does not match: do not rely on it';
  return bytes === null ? '' : 'too large for the file';
}

function Sightings({ evidence }: { evidence: Evidence }) {
  // Rows of sightings of posts, or of links.
  const rows = evidence.sightings as readonly { search: string; first_run_id: Id; first_seen_at: Date }[];
  if (rows.length === 0) return null;
  return (
    <Section title="First sightings" id="sightings">
      <Table
        caption="Searches that saw it, earliest first"
        rows={rows}
        columns={[
          { head: 'Search', cell: ({ search }) => <SearchLink slug={search} /> },
          { head: 'First seen', cell: ({ first_seen_at }) => <Second at={first_seen_at} /> },
          {
            head: 'Run',
            cell: ({ first_run_id: run }) => <a href={`/runs/${run}`}>{String(run)}</a>,
            number: true,
          },
        ]}
      />
    </Section>
  );
}

function SpikePosts({ evidence: { posts } }: { evidence: Evidence }) {
  if (posts.length === 0) return null;
  return (
    <Section title="Posts in the window" id="posts" note="Earliest first; at most 100.">
      <Table
        caption="Posts in the window of the spike, earliest first"
        rows={posts}
        columns={[
          {
            head: 'Published',
            cell: ({ created_at, first_seen_at }) => <Timestamp at={created_at ?? first_seen_at} exact />,
          },
          {
            head: 'Author',
            cell: ({ author_username }) =>
              author_username === null ? 'unknown' : <UntrustedText text={`@${author_username}`} most={60} />,
          },
          {
            head: 'Text',
            cell: ({ id, text }) => (
              <a href={`/posts/${id}`}>
                <UntrustedText text={text} most={200} />
              </a>
            ),
          },
        ]}
      />
    </Section>
  );
}
