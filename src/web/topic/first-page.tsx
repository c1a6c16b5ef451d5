/** The page of a topic until one of its searches has succeeded a second time: what is known, before there is anything to compare. */
import type { Citation } from '../../model/statements/cited-text.ts';
import { readSite } from '../../model/links/link.ts';
import { formatClock } from '../../lib/display-format.ts';
import type { FirstView, KnownStatement } from '../../monitor/topics/first-view.ts';
import { describeAddedTools } from '../../model/tool-coverage.ts';
import type { DescribedDiscovery } from '../../store/queries/described-discoveries.ts';
import { describeAsked, listConfigured, SourceTicks } from '../answer/source-ticks.tsx';
import { CopiesNote, getDiscoveryPath } from '../components/discovery-item.tsx';
import { Icon } from '../components/icons.tsx';
import { writeListPath } from '../components/list-address.ts';
import { useFrame } from '../components/page-frame.tsx';
import { EmptyState, Feed, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';
import type { ComponentChildren } from 'preact';

/** @param tell how to be told, after what there is to read */
export function FirstPage({
  topic,
  view,
  tell,
}: {
  topic: string;
  view: FirstView;
  tell: ComponentChildren;
}) {
  const { pending } = view;
  return (
    <div class="first" data-pending={pending ? '' : undefined}>
      {pending ? <AskedSection view={view} /> : null}
      {pending && view.known.length === 0 && view.noAnswer === null ? null : <KnownSection view={view} />}
      {pending && view.week.length === 0 ? null : <WeekSection topic={topic} view={view} />}
      {pending ? null : (
        <>
          {tell}
          <AskedSection view={view} />
        </>
      )}
      <FromNowOn view={view} />
    </div>
  );
}

function KnownSection({ view: { known, noAnswer } }: { view: FirstView }) {
  return (
    <Section title="Known now" id="known" live>
      {known.length === 0 ? (
        <p class="empty">
          {noAnswer === null ? 'No answer yet.' : <UntrustedText text={noAnswer} most={600} />}
        </p>
      ) : (
        <ol class="known">
          {known.map((statement) => (
            <Statement {...statement} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function Statement({ text, citations }: KnownStatement) {
  return (
    <li>
      <UntrustedText text={text} most={600} />{' '}
      <span class="why">
        {citations.map((citation, i) => (
          <>
            {i === 0 ? '' : ', '}
            <CitedSite {...citation} />
          </>
        ))}
      </span>
    </li>
  );
}

function CitedSite({ address }: Citation) {
  return <ExternalLink href={address} text={readSite(address) ?? address} />;
}

function WeekSection({ topic, view: { week, moreOfWeek } }: { topic: string; view: FirstView }) {
  const more = <a href={writeListPath('discoveries', { topic }, {})}>Everything found</a>;
  return (
    <Section title="This week" id="week" live aside={more}>
      <Feed rows={week} empty="Nothing from the past seven days in these sources.">
        {(row) => <WeekLine row={row} />}
      </Feed>
      {moreOfWeek > 0 ? <p class="hint">and {moreOfWeek} more from this week.</p> : null}
    </Section>
  );
}

/** A thing with its source and the time of its publication. */
function WeekLine({ row }: { row: DescribedDiscovery }) {
  const { kind, named_post_id, author_username, text, url, created_at } = row;
  const isPost = kind === 'post' || named_post_id !== null;
  return (
    <div class={`line is-${isPost ? 'post' : 'link'}`}>
      <span class="line-what">
        <Icon name={isPost ? 'post' : 'link'} />
        <span class="unseen">{isPost ? 'post: ' : 'link: '}</span>
        <a href={getDiscoveryPath(row)}>
          <UntrustedText text={text} most={180} />
        </a>
      </span>
      <span class="line-more">
        <CopiesNote discovery={row} />
        <UntrustedText
          text={
            isPost && author_username !== null ? `@${author_username}` : (readSite(url ?? '') ?? url ?? '')
          }
          most={60}
        />
        <Timestamp at={created_at} />
      </span>
    </div>
  );
}

/** While sources are asked, and afterwards which had something, which had nothing, and what a key would add. */
function AskedSection({ view: { asked: sources, missing, pending } }: { view: FirstView }) {
  const configured = listConfigured(sources);
  const added = describeAddedTools(missing);
  return (
    <Section title={configured.length === 0 ? 'Asking sources' : describeAsked(sources)} id="asked" live>
      {configured.length === 0 ? (
        <EmptyState words={pending ? 'The first run is starting.' : 'No source was asked yet.'} />
      ) : (
        <SourceTicks sources={sources} />
      )}
      {pending || added.length === 0 ? null : <p class="note">A key would add: {added.join('; ')}.</p>}
    </Section>
  );
}

function FromNowOn({ view: { since, next } }: { view: FirstView }) {
  const frame = useFrame();
  if (since === null) return null;
  return (
    <p class="note" data-live="from-now-on">
      From <time dateTime={since.toISOString()}>{formatClock(since, frame)}</time> only what is new
      {next === null ? '.' : `; next ${formatClock(next, frame)}.`}
    </p>
  );
}
