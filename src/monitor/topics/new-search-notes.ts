/** What a person should know of new searches: what they cost, which tools have a source, and where their first runs are. */
import type { Search } from '../../store/topics/searches.ts';
import type { Context } from '../context.ts';
import { describeToolSources, explainMissingTools } from './tool-sources.ts';
import { describeForecast, forecastSaved } from './search-forecast.ts';

type Notes = { free: boolean; forecast: string[]; notes: string[] };

export async function describeNewSearches(
  ctx: Context,
  searches: readonly Search[],
  notes: string[] = [],
): Promise<Notes> {
  const forecast = await forecastSaved(ctx, searches);
  // A tool that several searches lack is named once.
  const tools = new Map(forecast.searches.flatMap(({ missing }) => missing.map((each) => [each.tool, each])));
  const missing = [...tools.values()];
  // All tools of the sandbox are simulated, and those of a hosted service are known by their responses.
  const lines =
    forecast.service === 'own' ? [describeToolSources(searches, missing)] : explainMissingTools(missing);
  return {
    free: await ctx.isFree(searches[0]?.service_kind ?? 'own'),
    forecast: [describeForecast(forecast), ...lines],
    notes,
  };
}
