import type { Trial } from '../../../monitor/tell/try.ts';
import type { Found } from '../../../store/tell/feed.ts';
import type { RuleRow } from '../../../store/tell/reads.ts';
import { Icon } from '../kit/icon.tsx';
import { counted } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { When } from '../kit/when.tsx';

const SPANS = [1, 7, 14, 30, 90] as const;
const SHOWN = 100;

/** What a rule would have told, message by message in number, and what they would have said. */
export function Past({ rule, past, days }: { rule: RuleRow; past: Trial; days: number }) {
  const { messages, total, found } = past;
  return (
    <Section
      title={`${counted(messages.length, 'message')} in ${counted(days, 'day')}`}
      note={`${counted(total, 'discovery', 'discoveries')} in all, as the rule is now. Nothing was sent.`}
      aside={
        <Tabs
          label="How far back"
          tabs={SPANS.map((span) => ({
            href: `/alerts/rules/${rule.slug}/past?days=${span}`,
            words: span === 1 ? '1 day' : `${span} days`,
            here: span === days,
          }))}
        />
      }
    >
      {found.length === 0 ? (
        <Empty
          words="It would have said nothing."
          todo={{ words: 'Change the rule', href: `/alerts/rules/${rule.slug}` }}
        />
      ) : null}
      {found.slice(0, SHOWN).map((one) => (
        <FoundLine found={one} />
      ))}
      {total > SHOWN ? (
        <p class="note">and {counted(total - SHOWN, 'discovery', 'discoveries')} more</p>
      ) : null}
    </Section>
  );
}

function FoundLine({ found }: { found: Found }) {
  const { kind, at, search } = found;
  return (
    <div class={`line is-${kind}`}>
      <span class="line-what">
        <Icon name={kind} />
        <span class="unseen">{`${kind}: `}</span>
        <What found={found} />
      </span>
      <span class="line-more">
        <a href={`/searches/${search}`}>{search}</a>
        <When at={at} />
      </span>
    </div>
  );
}

function What({ found }: { found: Found }) {
  switch (found.kind) {
    case 'post':
      return (
        <a href={`/posts/${found.post.id}`}>
          <Outside text={found.post.text} most={180} />
        </a>
      );
    case 'link':
      return (
        <a href={`/links/${found.link.id}`}>
          <Outside text={found.link.title ?? found.link.url} most={180} />
        </a>
      );
    case 'spike':
      return <a href={`/searches/${found.search}#spikes`}>{found.spike.sentence}</a>;
    case 'completion':
      return <a href={`/runs/${found.run_id}`}>a changed completion</a>;
  }
}
