/** What needs a person: at most six cards, the others folded below; or one line that says why nothing does. */
import { formatMinute } from '../../lib/display-format.ts';
import { describeRuns, type HeatPart } from '../components/heat-strip.tsx';
import { ActionButton } from '../components/form.tsx';
import { Icon, type IconName } from '../components/icons.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import type { Card } from './attention-cards.ts';
import type { OverviewRange } from './overview-range.ts';
import { type CardKind, rankCards } from './rank-cards.ts';

const MAX_CARDS = 6;
const MAX_NAME = 90;
const MAX_TEXT = 260;

const CARD_LOOKS: Readonly<Record<CardKind, { icon: IconName; words: string }>> = {
  stopped: { icon: 'warning', words: 'Not collected' },
  undelivered: { icon: 'warning', words: 'Not delivered' },
  spike: { icon: 'spike', words: 'Spike' },
  answer: { icon: 'completion', words: 'Answer changed' },
  limit: { icon: 'clock', words: 'Limit' },
  level: { icon: 'trend', words: 'Trend' },
};

export function AttentionSection({ cards, calm }: { cards: readonly Card[]; calm: CalmFacts }) {
  const frame = useFrame();
  const { shown, others } = rankCards(cards, MAX_CARDS);
  if (shown.length === 0) {
    const { isGood, words } = describeCalm(calm, (at) => formatMinute(at, frame));
    return (
      <section id="attention" data-live="attention" aria-label="Needs attention">
        <p class={isGood ? 'calm is-good' : 'calm'}>
          <Icon name={isGood ? 'check' : 'clock'} /> {words}
        </p>
      </section>
    );
  }
  return (
    <Section
      title={`${cards.length} ${cards.length === 1 ? 'needs' : 'need'} attention`}
      id="attention"
      live
      aside={
        <span class="hint">
          {describeRuns(calm.runs)} {calm.range.words}
        </span>
      }
    >
      <ul class="cards">
        {shown.map((card) => (
          <li class={`card is-${card.kind}`}>
            <AttentionCard card={card} />
          </li>
        ))}
      </ul>
      {others.length === 0 ? null : (
        <details>
          <summary>{others.length} more</summary>
          <ul class="feed">
            {others.map((card) => (
              <li>
                <OtherLine card={card} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

function AttentionCard({ card }: { card: Card }) {
  const { kind, title, href, headline, reason, at } = card;
  const { icon, words } = CARD_LOOKS[kind];
  return (
    <>
      <p class="card-kind">
        <Icon name={icon} /> {words}
        <span class="card-when">
          <Timestamp at={at} />
        </span>
      </p>
      <h3>
        <a href={href}>
          <UntrustedText text={title} most={MAX_NAME} />
        </a>
      </h3>
      <p class="card-headline">
        <UntrustedText text={headline} most={MAX_TEXT} />
      </p>
      {reason === null ? null : (
        <p class="card-reason">
          <UntrustedText text={reason} most={MAX_TEXT} />
        </p>
      )}
      <p class="card-action">
        <CardAction action={card.action} />
      </p>
    </>
  );
}

function CardAction({ action }: { action: Card['action'] }) {
  if ('href' in action) return <a href={action.href}>{action.words}</a>;
  return (
    <IfAllowed scope="run">
      <ActionButton action={action.run} words={action.words} icon="run" fields={action.fields ?? {}} />
    </IfAllowed>
  );
}

function OtherLine({ card: { title, href, headline, at } }: { card: Card }) {
  return (
    <div class="line">
      <span class="line-what">
        <a class="who" href={href}>
          <UntrustedText text={title} most={MAX_NAME} />
        </a>{' '}
        <UntrustedText text={headline} most={MAX_TEXT} />
      </span>
      <span class="line-more">
        <Timestamp at={at} />
      </span>
    </div>
  );
}

/** Why nothing needs a person. */
export type CalmFacts = {
  range: Pick<OverviewRange, 'words' | 'until'>;
  /** Runs that ended in the range. */
  runs: HeatPart;
  /** Whether any search is active. */
  isActive: boolean;
  /** The next time a search is due; null: none. */
  nextRunAt: Date | null;
  /** Whether a tool that was asked does not respond. */
  isPartial: boolean;
};

/** One line, which is good only if something ran and all of it worked. */
export function describeCalm(
  { range, runs, isActive, nextRunAt, isPartial }: CalmFacts,
  formatAt: (at: Date) => string,
): { isGood: boolean; words: string } {
  const isNow = range.until === null;
  if (runs.succeeded + runs.failed === 0) {
    const next = !isNow ? '' : nextRunAt === null ? '' : ` Next run: ${formatAt(nextRunAt)}.`;
    const none = `Nothing ran ${range.words}${runs.skipped === 0 ? '' : `; ${describeRuns(runs)}`}.`;
    return { isGood: false, words: isNow && !isActive ? `${none} No search is active.` : `${none}${next}` };
  }
  if (runs.failed > 0)
    return {
      isGood: false,
      words: `${isNow ? 'Nothing needs you now: every search has succeeded since' : 'Nothing stood out'}. ${describeRuns(runs)} ${range.words}.`,
    };
  if (runs.skipped > 0 || isPartial || (isNow && !isActive))
    return {
      isGood: false,
      words: `Nothing stood out, but not everything was observed: ${describeRuns(runs)} ${range.words}${isNow && !isActive ? ', and no search is active now' : ''}.`,
    };
  return { isGood: true, words: `Nothing needs you: ${describeRuns(runs)} ${range.words}, none failed.` };
}
