/** The program of the process for statements of visitors; see store/reader/. It imports little, so that it starts quickly. */
import { renderTable } from './explore/statement-table.tsx';
import { renderJson } from '../store/reader/reader-query.ts';
import { serveStatements } from '../store/reader/serve-statements.ts';

serveStatements({ html: renderTable, json: renderJson });
