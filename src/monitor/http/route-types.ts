/** What the routes of every door on HTTP are written against: the API's and the pages' alike. */
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { SourceHealth } from '../../protocol/service-status.ts';
import type { ActingContext, Context } from '../context.ts';
import type { EmbeddedDatabase } from '../status/system-status.ts';
import type { Access } from '../access/authentication.ts';
import type { Scope, Visitor } from '../access/visitor-scopes.ts';
import type { FinishedStatement, VisitorStatement } from '../../store/reader/reader-host.ts';

/** A server whose routes are declared with zod. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What a route stands on. */
export type RouteContext = {
  ctx: Context;
  /** The sources of this process's search service, as they are; nobody is asked. */
  services: { health(): Promise<readonly SourceHealth[]> };
  /** Login of the role that reads the SQL contract, as it is now; null where nobody named one. */
  readerUrl: () => string | null;
  /** The database that this process runs itself; null where it was given one. */
  embedded: EmbeddedDatabase | null;
  /** Of a process that takes work: why it takes none just now, in a word; null where it does. */
  idle?: () => string | null;
};

/** What visitors share, each a part of it: both doors take from the same. */
export type Shares = Readonly<Record<'events' | 'exports' | 'finds' | 'answers' | 'statements', Share>>;

export type Share = {
  /**
   * Takes one place for whoever asks, until the function that it returns is called; a second call of that changes nothing.
   * @throws Denied `too_many` where they hold all of their own, Refused `unavailable` where none is left for anybody
   */
  take(request: Pick<FastifyRequest, 'visitor' | 'ip'>): () => void;
};

/** Statements of visitors over the SQL contract, for all doors together. */
export type Statements = {
  /**
   * Runs one statement, as long as somebody waits for the reply.
   * @throws Refused `conflict` with words about the statement, `unavailable`; Denied `too_many`
   */
  ask(
    request: Pick<FastifyRequest, 'visitor' | 'ip'>,
    reply: Pick<FastifyReply, 'raw'>,
    statement: Pick<VisitorStatement, 'sql' | 'form'>,
  ): Promise<FinishedStatement>;
};

/** Adds routes to a server. */
export type Routes = (app: App, home: RouteContext) => void | Promise<void>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a visitor must be allowed to. Every route says it, or the server does not start; `open` is for what
     * anybody may see: that we live, and the way in.
     */
    scope?: Scope | readonly Scope[] | 'open';
    /** Through which door it is asked; the server says it of each of its routes. */
    door?: 'api' | 'page';
  }
  interface FastifyInstance {
    access: Access;
    shares: Shares;
    statements: Statements;
    /** Every route there is, those that answer HEAD included. */
    routeTable: readonly {
      method: string;
      url: string;
      scope: Scope | readonly Scope[] | 'open';
      /** Whether it honors `Idempotency-Key`. */
      idempotent: boolean;
    }[];
  }
  interface FastifyRequest {
    /** Who asks, once it is known. */
    visitor: Visitor;
    /** What a verb that changes something takes: the change is recorded under whoever asks. */
    readonly acting: ActingContext;
    /**
     * What every form holds in a hidden field `form_token`; another one each time it is asked for. A form without it
     * is refused before its route sees it, and the route never sees the field.
     */
    readonly formToken: string;
  }
}
