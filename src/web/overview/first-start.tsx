/** The overview before anything is watched: the field for a topic of one's own, and the way to a sample. */
import { findDefaultKind } from '../../monitor/topics/service-choice.ts';
import type { RouteContext, Sample } from '../../monitor/http/route-types.ts';
import { Button, Field, Form } from '../components/form.tsx';
import { CREATE_TOPIC_SCOPES, IfAllowed, useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';
import { PART_NAMES } from '../edit/new-topic-form.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';

export async function renderFirstStart(
  request: FastifyRequest,
  reply: FastifyReply,
  { ctx, sandbox = null, sample }: RouteContext,
): Promise<FastifyReply> {
  const shown = sandbox === null ? null : ((await sample?.()) ?? null);
  return renderPage(request, reply, {
    title: 'Overview',
    here: '/',
    live: true,
    body: (
      <>
        <IfAllowed scope={CREATE_TOPIC_SCOPES} otherwise={<EmptyState words="Nothing is watched yet." />}>
          <WatchForm service={findDefaultKind(ctx)} />
        </IfAllowed>
        {sandbox === null ? null : <SampleCard address={sandbox} sample={shown} />}
      </>
    ),
  });
}

/** Watches at once if that costs nothing; otherwise the next page says what it costs. */
function WatchForm({ service }: { service: ReturnType<typeof findDefaultKind> }) {
  const isFree = useFrame().free.has(service);
  return (
    <Form action="/new" label="New topic">
      {PART_NAMES.map((part) => (
        <input type="hidden" name="searches" value={part} />
      ))}
      <Field
        name="text"
        label="What should be watched?"
        placeholder="harbour ferry"
        autocomplete="off"
        help="Words, a name or a question. Searches run on a schedule and show what is new."
        required
      />
      <div class="buttons">
        <Button
          words={isFree ? 'Watch' : 'Continue'}
          kind="main"
          name="do"
          value={isFree ? 'save' : 'preview'}
        />
        <a href="/new">More settings</a>
      </div>
    </Form>
  );
}

/** @param address of the sandbox */
function SampleCard({ address, sample }: { address: string; sample: Sample | null }) {
  return (
    <section class="sample" aria-label="Sample">
      <p>
        See a sample: <a href={address}>{address}</a>. Everything in it is simulated.
      </p>
      {sample === null ? null : (
        <>
          <h2>
            <a href={`${address}/topics/${sample.topic}`}>
              <UntrustedText text={sample.name} most={80} />
            </a>
          </h2>
          <ul class="feed">
            {sample.lines.map(({ at, text, url }) => (
              <li>
                <div class="line">
                  <span>
                    {url === null ? (
                      <UntrustedText text={text} most={160} />
                    ) : (
                      <ExternalLink href={url} text={text} />
                    )}
                  </span>
                  <span class="line-more">
                    <Timestamp at={at} />
                  </span>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
