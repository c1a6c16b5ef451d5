/** Entry point of the process for statements; see store/reader/. Few imports, for a quick start. */
import { renderTable } from './explore/statement-table.tsx';
import { renderJson } from '../store/reader/reader-query.ts';
import { serveStatements } from '../store/reader/serve-statements.ts';

serveStatements({ html: renderTable, json: renderJson });
