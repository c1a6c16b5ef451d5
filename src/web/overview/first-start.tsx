/** The overview before anything is watched: the field for a topic of one's own, and the way to a sample. */
import { findDefaultKind } from '../../monitor/topics/service-choice.ts';
import type { RouteContext, Sample } from '../../monitor/http/route-types.ts';
import { CREATE_TOPIC_SCOPES, IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';
import { WatchField } from './watch-field.tsx';
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
          <WatchField service={findDefaultKind(ctx)} large />
        </IfAllowed>
        {sandbox === null ? null : <SampleCard address={sandbox} sample={shown} />}
      </>
    ),
  });
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
