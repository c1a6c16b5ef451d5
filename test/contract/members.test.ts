import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  aiResponse,
  aiSearchRequest,
  microblogResponse,
  microblogSearchRequest,
} from '../../src/protocol/specification.ts';
import { listMembers } from '../../src/protocol/dialect.ts';

const count = (object: string) => listMembers().filter((member) => member.startsWith(`${object}.`)).length;

test('the schemas have exactly the members of the specification', () => {
  expect(
    [
      'ai_request',
      'microblog_request',
      'ai_answer',
      'group',
      'result',
      'text_chunks',
      'completion',
      'key_item',
    ].map(count),
  ).toEqual([5, 2, 9, 1, 5, 1, 8, 2]);
  expect(['microblog_answer', 'post', 'user'].map(count)).toEqual([1, 24, 17]);
  expect(new Set(listMembers()).size).toBe(listMembers().length);
});

test('every object inside a response or a request is listed', () => {
  const listed = new Set(listMembers().map((member) => member.split('.')[1]));
  for (const schema of [aiResponse, microblogResponse, aiSearchRequest, microblogSearchRequest]) {
    for (const name of namesIn(z.toJSONSchema(schema, { unrepresentable: 'any' }))) {
      expect(listed, name).toContain(name);
    }
  }
});

/** Every property named anywhere in a JSON schema. */
function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  if (typeof schema !== 'object' || schema === null) return [];
  const properties = 'properties' in schema ? Object.keys(schema.properties as object) : []; // a JSON schema's
  return [...properties, ...Object.values(schema).flatMap(namesIn)];
}
