/** All tools of AI assistants, in the order in which they are listed. A new one is a file and a line here. */
import { answerTool } from './answer-tool.ts';
import { overviewTool } from './overview-tool.ts';
import { searchTool } from './search-tool.ts';
import { sqlTool } from './sql-tool.ts';
import type { AnyTool } from './tool.ts';
import { trendsTool } from './trends-tool.ts';
import { watchTool } from './watch-tool.ts';
import { whatIsNewTool } from './what-is-new-tool.ts';

export const TOOLS: readonly AnyTool[] = [
  overviewTool,
  whatIsNewTool,
  searchTool,
  trendsTool,
  answerTool,
  watchTool,
  sqlTool,
];
