/** A source that does not exist, for new-source.test.ts. */
import { z } from 'zod';
import { anyText, bareAddress, variable } from '../../../src/config/variable.ts';
import { type Adapter, defineSource } from '../../../src/service/sources/adapter.ts';
import { parsePayload } from '../../../src/service/sources/parse/payload.ts';
import { buildEndpoint } from '../../../src/service/sources/parse/provider-addresses.ts';

const find = z.object({ title: z.string(), link: z.string(), published: z.coerce.date() });
const payload = z.object({ finds: z.array(find) });

export const PIER = defineSource({
  facts: {
    name: 'pier',
    source: 'web',
    title: 'Pier',
    dates: 'exact',
    sample: 'boats',
    terms: 'A key of its harbor master.',
    pace: { perMinute: 60, burst: 10 },
  },
  variables: {
    apiKey: variable('PIER_API_KEY', anyText, 'a key of Pier', { needed: true, secret: 'whole' }),
    server: variable('PIER_SERVER', bareAddress('https://host'), 'its server', {
      default: 'https://pier.example',
    }),
  },
  make: ({ apiKey, server }): Adapter => ({
    ...PIER.facts,
    async find({ prompt }, { ask }) {
      const headers = { authorization: `Bearer ${apiKey}` };
      const reply = await ask({ url: buildEndpoint(server, 'finds', { prompt }), headers });
      return parsePayload(reply.text, payload).finds.map(({ title, link, published }) => ({
        source: 'web',
        title,
        link,
        snippet: '',
        summaryDescription: '',
        publishedAt: published,
      }));
    },
  }),
});
