/** The query of lists of items. Pure. */
import { MAX_QUERY_LENGTH } from '../../model/search-query.ts';
import { textParam } from '../../model/value-shapes.ts';

/** A query; `parseQuery` validates it. */
export const queryParam = textParam(MAX_QUERY_LENGTH).meta({ examples: ['"night line" -cancelled lang:en'] });
