/** JSON shapes of the SQL contract's rows: documentation built from the views' declarations. */

import { idShape, timeShape } from '../../model/value-shapes.ts';
import * as views from '../schema/analytics-views.ts';
import { Column } from 'drizzle-orm';
import { getViewConfig, PgView } from 'drizzle-orm/pg-core';
import { z } from 'zod';

type Views = typeof views;
type ViewNameOf<T> = T extends { _: { name: infer Name extends string; existing: true } } ? Name : never;

type ViewName = { [K in keyof Views]: ViewNameOf<Views[K]> }[keyof Views];

/** A row of a view: one member per column, in the view's order. */
type RowShape = z.ZodObject<Record<string, z.core.$ZodType>>;

/**
 * The JSON shape of a view's row: IDs are strings, times ISO 8601. For documentation, without validation at run time;
 * `x-view` names the view, whose comments describe the members.
 */
function describeRow(view: ViewName): RowShape {
  const columns = VIEWS.get(view);
  if (columns === undefined) throw new Error(`no such view: ${view}`);
  return z.object(columns).meta({ 'x-view': view });
}

/** A row of a view, under its schema name in the document. */
export function defineRow(name: string, view: ViewName): RowShape {
  return describeRow(view).meta({ id: name, 'x-view': view });
}

/** A row of a view with additional members. */
export function defineRowWith<M extends z.ZodRawShape>(name: string, view: ViewName, members: M) {
  return z.object({ ...describeRow(view).shape, ...members }).meta({ id: name, 'x-view': view });
}

function describeColumn(column: Column): z.core.$ZodType {
  // Types without a JSON equivalent may be anything, including null.
  if (column.notNull || column.dataType === 'json') return describeValue(column);
  return z.nullable(describeValue(column));
}

function describeValue(column: Column): z.core.$ZodType {
  if ('baseColumn' in column) return z.array(describeValue(column.baseColumn as Column)); // an array's, by PgArray
  if (column.dataType === 'number' && /int/i.test(column.columnType)) return z.int();
  if (column.dataType === 'number') return z.number();
  if (column.enumValues !== undefined && column.enumValues.length > 0) return z.enum(column.enumValues);
  const shape = SHAPES_BY_TYPE.get(column.dataType);
  if (shape === undefined) throw new Error(`no JSON shape for column ${column.name}`);
  return shape;
}

const SHAPES_BY_TYPE: ReadonlyMap<string, z.core.$ZodType> = new Map<string, z.core.$ZodType>([
  ['bigint', idShape],
  ['string', z.string()],
  ['boolean', z.boolean()],
  ['date', timeShape],
  ['json', z.unknown()],
]);

const VIEWS = new Map(
  Object.values<object>(views).flatMap((view): [string, Record<string, z.core.$ZodType>][] => {
    if (!(view instanceof PgView)) return [];
    const { name, selectedFields } = getViewConfig(view);
    const members = Object.entries(selectedFields).flatMap(([member, column]): [string, z.core.$ZodType][] =>
      column instanceof Column ? [[member, describeColumn(column)]] : [],
    );
    return [[name, Object.fromEntries(members)]];
  }),
);
