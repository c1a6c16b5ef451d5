import type { z } from 'zod';
import { aiAnswer, textChunks } from './ai-answer.ts';
import { microblogAuthor } from './author.ts';
import { completion, keyItem } from './completion.ts';
import { microblogAnswer } from './microblog-answer.ts';
import { microblogPost } from './post.ts';
import { aiSearchRequest, microblogSearchRequest } from './request.ts';
import { resultGroup, resultItem } from './result-item.ts';

/** Every object of the specification, under the name its members are listed by. */
const OBJECTS: Readonly<Record<string, z.ZodObject>> = {
  ai_request: aiSearchRequest,
  microblog_request: microblogSearchRequest,
  ai_answer: aiAnswer,
  group: resultGroup,
  result: resultItem,
  text_chunks: textChunks,
  completion,
  key_item: keyItem,
  microblog_answer: microblogAnswer,
  post: microblogPost,
  user: microblogAuthor,
};

/** Every member of the specification as `object.member`, such as `post.like_count` or `user.id`. */
export function contractMembers(): string[] {
  return Object.entries(OBJECTS).flatMap(([object, schema]) =>
    Object.keys(schema.shape).map((member) => `${object}.${member}`),
  );
}
