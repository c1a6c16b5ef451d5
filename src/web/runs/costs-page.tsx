/** What searches cost: their calls, and what they paid for each new item. */
import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { readSearchCosts, type SearchCost } from '../../store/queries/run-costs.ts';
import { Table } from '../components/data-table.tsx';
import { writeAddress } from '../components/list-address.ts';
import { Count, formatCount, Usd } from '../components/numbers.tsx';
import { CREATE_TOPIC_SCOPES } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { SearchLink } from '../components/scope-names.tsx';
import { Section, Tabs } from '../components/section.tsx';
import { emptyField } from '../request-input.ts';

const RANGES = {
  '24h': [1, 'last 24 hours'],
  '7d': [7, 'last 7 days'],
  '30d': [30, 'last 30 days'],
} as const;
type Range = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as [Range, ...Range[]]; // its own keys
const MAX_SEARCHES = 200;

const querystring = z.object({ range: emptyField.or(z.enum(RANGE_NAMES)).optional() });

export function addCostsPage(app: App, { ctx }: RouteContext): void {
  app.get('/runs/costs', { config: { scope: 'read' }, schema: { querystring } }, async (request, reply) => {
    const { range = '7d' } = request.query;
    const [days, words] = RANGES[range];
    const since = new Date(request.frame.now.getTime() - days * DAY);
    const rows = await readSearchCosts(ctx.db, { since, limit: MAX_SEARCHES });
    return renderPage(request, reply, {
      title: 'Costs',
      here: '/runs/costs',
      lead: 'What searches cost, and what they found for it.',
      aside: (
        <Tabs
          label="Time range"
          tabs={RANGE_NAMES.map((name) => ({
            href: writeAddress('/runs/costs', { range: name }),
            words: name,
            here: name === range,
          }))}
        />
      ),
      body: (
        <Section
          title={`By search, ${words}`}
          id="costs"
          note="Of runs that ended in this time, as services reported it. New items and their price leave out first runs, which find what was there before."
        >
          <CostTable rows={rows} />
        </Section>
      ),
    });
  });
}

function CostTable({ rows }: { rows: readonly SearchCost[] }) {
  return (
    <Table
      empty="No run has ended in this time."
      todo={{ words: 'Watch something', href: '/new', scope: CREATE_TOPIC_SCOPES }}
      caption="Costs by search, the dearest first"
      rows={rows}
      columns={[
        { head: 'Search', cell: ({ search }) => <SearchLink slug={search} /> },
        { head: 'Runs', cell: ({ runs }) => <Count of={runs} />, number: true, wide: true },
        { head: 'Calls', cell: ({ calls }) => <Count of={calls} />, number: true },
        {
          head: 'Cost',
          cell: ({ cost_usd, uncosted, service }) => (
            <>
              <Usd of={cost_usd} service={service} />
              {cost_usd === null || uncosted === 0
                ? ''
                : ` (not reported for ${formatCount(uncosted, 'call')})`}
            </>
          ),
          number: true,
        },
        { head: 'New items', cell: ({ new_items }) => <Count of={new_items} />, number: true },
        { head: 'Per new item', cell: (row) => <ItemPrice row={row} />, number: true },
      ]}
    />
  );
}

/** At least, if the cost of a call is not known. */
function ItemPrice({ row: { new_items, later_cost_usd: cost, uncosted, service } }: { row: SearchCost }) {
  if (new_items === 0) return <span class="unknown">nothing new</span>;
  return (
    <>
      {cost === null || uncosted === 0 ? '' : '≥ '}
      <Usd of={cost === null ? null : cost / new_items} service={service} />
    </>
  );
}
