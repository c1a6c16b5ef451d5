/** One link: where it stands, who had it first, who cites it. */
import { z } from 'zod';
import type { Database, Id } from '../../../store/database.ts';
import {
  readAddresses,
  readCiting,
  readLink,
  readLinkSources,
  readPlaces,
  readPostsWith,
} from '../../../store/reads/link-places.ts';
import type { LinkRow } from '../../../store/reads/links.ts';
import type { App, WebHome } from '../../routes.ts';
import { Facts } from '../detail/facts.tsx';
import { keyOf, missing } from '../detail/key.ts';
import { OutLink, Outside } from '../kit/outside.tsx';
import { Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { When } from '../kit/when.tsx';
import { Addresses, Citing, Containing } from './around.tsx';
import { Finders, Places } from './places.tsx';

export function linkPage(app: App, { ctx }: WebHome): void {
  app.get(
    '/links/:id',
    { config: { scope: 'read' }, schema: { params: z.object({ id: z.string() }) } },
    async (request, reply) => {
      const { id: given } = request.params;
      const id = keyOf('link', given);
      const link = await readLink(ctx.db, id);
      if (link === undefined) throw missing('link', given);
      const { addresses, sources, places, citing, posts } = await readLife(ctx.db, id);
      return showPage(request, reply, {
        title: (link.title ?? link.site).slice(0, 200),
        here: '/explore',
        charts: places.some(({ place }) => place !== null),
        above: 'Link',
        body: (
          <>
            <About link={link} />
            <Finders rows={sources} />
            <Places rows={places} />
            <Citing rows={citing} />
            <Containing rows={posts} />
            <Addresses link={link} addresses={addresses} />
          </>
        ),
      });
    },
  );
}

async function readLife(db: Database, id: Id) {
  const [addresses, sources, places, citing, posts] = await Promise.all([
    readAddresses(db, id),
    readLinkSources(db, id),
    readPlaces(db, id),
    readCiting(db, id),
    readPostsWith(db, id),
  ]);
  return { addresses, sources, places, citing, posts };
}

function About({ link }: { link: LinkRow }) {
  const { url, site, title, snippet, summary_description: summary } = link;
  return (
    <Section title="What it is" id="about">
      <p>
        <OutLink href={url} text={url} />
      </p>
      {snippet === null ? null : (
        <p class="whole">
          <Outside text={snippet} most={4_000} />
        </p>
      )}
      <Facts
        label="About this link"
        facts={[
          ['Title', title === null ? 'never given' : <Outside text={title} most={400} />],
          ['Site', <Outside text={site} most={120} />],
          ['Published', link.published_at === null ? 'not said' : <When at={link.published_at} exact />],
          ['First seen by any search', <When at={link.first_seen_at} exact />],
          ['Last change seen', <When at={link.observed_at} exact />],
          ['Summary by the service', summary === null ? null : <Outside text={summary} most={4_000} />],
        ]}
      />
    </Section>
  );
}
