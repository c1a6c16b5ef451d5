/** Rows of posts, authors, links and completions in replies. */
import { defineRow } from '../../store/db/row-shapes.ts';

export const Post = defineRow('Post', 'posts');
export const PostEngagement = defineRow('PostEngagement', 'post_engagement');
export const PostGrowth = defineRow('PostGrowth', 'post_growth');
export const PostAtAge = defineRow('PostAtAge', 'post_at_age');
export const Author = defineRow('Author', 'authors');
export const AuthorSnapshot = defineRow('AuthorSnapshot', 'author_snapshots');
export const Link = defineRow('Link', 'links');
export const LinkSource = defineRow('LinkSource', 'link_sources');
export const Completion = defineRow('Completion', 'completions');
export const CompletionClaim = defineRow('CompletionClaim', 'completion_claims');
export const Claim = defineRow('Claim', 'claims');
