/** The program of the process for statements of visitors; see store/reader/. It imports little, so that it starts quickly. */
import { renderTable } from './doors/pages/explore/result-table.tsx';
import { renderJson } from './store/reader/render.ts';
import { serveStatements } from './store/reader/serve.ts';

serveStatements({ html: renderTable, json: renderJson });
