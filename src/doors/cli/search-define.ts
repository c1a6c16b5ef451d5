import type { Command } from 'commander';
import { InvalidInput } from '../../errors.ts';
import { createSearch } from '../../monitor/topic/create.ts';
import type { WrittenSearch } from '../../monitor/topic/definition.ts';
import { editSearch } from '../../monitor/topic/edit.ts';
import type { Cli } from './cli.ts';
import { takeFirstRuns } from './first-runs.ts';
import { tellChosen } from './invented.ts';
import { searchPage } from './search-page.ts';
import { findSearchRow } from '../../monitor/topic/find.ts';

/** What a person may write about a search; every value is checked by the verb. */
type Written = {
  prompt?: string;
  tools?: string;
  model?: string;
  dateFilter?: string;
  streaming?: boolean;
  extra?: string;
  cron?: string;
  tz?: string;
  every?: string;
  label?: string[];
  sensitivity?: string;
  json?: boolean;
};

const EXAMPLES = `
Examples:
  $ strandline search add ferry-posts --operation microblog --prompt "harbour ferry" --every 15m
  $ strandline search add ferry-news --operation ai --prompt "harbour ferry" --topic ferry \\
      --tools "Web Search,News Forum Search" --date-filter PAST_WEEK --cron "0 8 * * 1-5" --tz Europe/Berlin
`;

export function registerDefine(search: Command, cli: Cli): void {
  const add = search
    .command('add')
    .description('save a search and look at once')
    .argument('<slug>', 'its short name for commands: lower-case letters, digits, hyphens')
    .option('--operation <operation>', 'microblog (posts) or ai (all sources)')
    .option('--topic <topic>', 'slug of its topic; made where there is none (default: the slug)')
    .option(
      '--service <service>',
      'own, sandbox or hosted (default: hosted where SEARCH_API_URL is set, else own where a public source answers, else sandbox)',
    )
    .addHelpText('after', EXAMPLES);
  describe(add, byDefault).action(
    (slug: string, options: Written & { operation?: string; topic?: string; service?: string }) => {
      const { operation, topic, service } = options;
      // Which of the two is meant is never guessed: one of them costs more.
      if (operation === undefined)
        throw new InvalidInput([{ path: 'operation', given: undefined, expected: 'one of microblog, ai' }]);
      return cli.withHome(async (home, stopping) => {
        const created = await createSearch(home.ctx, {
          slug,
          operation,
          topic,
          service,
          ...written(options),
        });
        if (service === undefined)
          await tellChosen(cli, home.ctx, created.search, '--service own, with another slug');
        const [saved] = await takeFirstRuns(cli, home, [created], stopping);
        await cli.show(options.json, saved, () => (saved === undefined ? [] : searchPage(saved, cli.page)));
      });
    },
  );

  const edit = search
    .command('edit')
    .description('change a search; what is left out stays')
    .argument('<search>', 'its slug');
  describe(edit, () => '').action((slug: string, options: Written) =>
    cli.withHome(async ({ ctx }) => {
      const { changed, changesRequest } = await editSearch(ctx, slug, written(options));
      const row = await findSearchRow(ctx.db, slug);
      await cli.show(options.json, row, () => searchPage(row, cli.page));
      if (!changed) cli.page.say('nothing changed');
      else if (changesRequest) cli.page.say('the request changed: its next run is a new baseline');
    }),
  );
}

const byDefault = (value: string) => ` (default: ${value})`;

/** @param unless what an option that is left out means, where that is not that it stays */
function describe(command: Command, unless: (value: string) => string): Command {
  return command
    .option('--prompt <text>', 'what is asked')
    .option('--tools <list>', `tools of an ai search, separated by commas${unless('all')}`)
    .option('--model <model>', 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds')
    .option('--date-filter <filter>', 'how far back an ai search looks, such as PAST_24_HOURS or PAST_WEEK')
    .option('--streaming', 'have the answer of an ai search streamed')
    .option('--no-streaming', 'have it whole')
    .option('--extra <json>', 'JSON object of members beyond the specification')
    .option('--cron <expression>', 'run at the times of a cron expression of five fields')
    .option('--tz <zone>', `time zone of the cron expression, such as Europe/Berlin${unless('UTC')}`)
    .option('--every <interval>', 'run every so often, such as 90s, 15m or 1h30m')
    .option(
      '--label <label>',
      'a label; may be given several times',
      (label, before: string[] | undefined) => [...(before ?? []), label],
    )
    .option(
      '--sensitivity <level>',
      `how unusual is worth a spike: low, normal, high or off${unless('normal')}`,
    )
    .option('--json', 'print JSON');
}

/** Options as the members of a search; one that was not given is not there. */
function written(options: Written): Omit<WrittenSearch, 'slug' | 'operation'> {
  const { prompt, tools, model, dateFilter, streaming, extra, cron, tz, every, label, sensitivity } = options;
  return {
    prompt,
    tools: tools?.split(','),
    model,
    date_filter: dateFilter,
    streaming,
    extra,
    cron,
    tz,
    every,
    labels: label,
    sensitivity,
  };
}
