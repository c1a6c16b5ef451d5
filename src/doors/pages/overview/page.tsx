/** The first page: what is happening to each topic. */
import { readTopics } from '../../../store/reads/topics.ts';
import type { App, WebHome } from '../../routes.ts';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

export function overviewPage(app: App, { ctx }: WebHome): void {
  app.get('/', { config: { scope: 'read' } }, async (request, reply) => {
    const topics = await readTopics(ctx.db, { limit: 100 });
    return showPage(request, reply, {
      title: 'Overview',
      here: '/',
      body: (
        <Section title="Topics">
          {topics.length === 0 ? (
            <Empty words="No topic is watched yet." todo={{ words: 'Watch something', href: '/new' }} />
          ) : (
            <Table
              caption="Topics"
              rows={topics}
              columns={[
                {
                  head: 'Topic',
                  cell: (topic) => <a href={`/topics/${topic.slug}`}>{topic.name}</a>,
                },
                { head: 'Since', cell: (topic) => <When at={topic.created_at} /> },
              ]}
            />
          )}
        </Section>
      ),
    });
  });
}
