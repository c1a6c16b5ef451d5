/** Types shared by the routes of the API and the pages. */
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { SourceHealth } from '../../protocol/service-status.ts';
import type { ActingContext, Context, EmbeddedDatabase } from '../context.ts';
import type { Mount } from '../../model/mount.ts';
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

/** What every route gets. */
export type RouteContext = {
  ctx: Context;
  /** Health of the sources of this process's search service; makes no request. */
  services: { health(): Promise<readonly SourceHealth[]> };
  /** Current login of the role that reads the SQL contract; null if there is none. */
  readerUrl: () => string | null;
  /** The database that this process runs itself; null for an external one. */
  embedded: EmbeddedDatabase | null;
  /** Where people find its pages, if clients reach it at another address; without a slash at its end. */
  publicBase?: string;
  /** Default: at the root. */
  mount?: Mount;
  /** Where the sandbox is served, beside this application; null if there is none. */
  sandbox?: string | null;
  /** The newest lines of the sample topic in the sandbox; null if it has none yet. */
  sample?: () => Promise<Sample | null>;
  /** Of a worker process: why it takes no work now; null if it does. */
  idle?: () => string | null;
};

/** A topic that shows what watching looks like, with its newest lines, newest first. */
export type Sample = {
  topic: string;
  name: string;
  lines: readonly { at: Date; text: string; url: string | null }[];
};

/** Limited resources that visitors share, through the API and the pages together. */
export type Shares = Readonly<Record<'events' | 'exports' | 'finds' | 'answers' | 'statements', Share>>;

export type Share = {
  /**
   * Takes one place for the visitor, until the returned function is called; calling it again has no effect.
   * @throws Denied `too_many` if the visitor uses all of theirs, Refused `unavailable` if no place is left
   */
  take(request: Pick<FastifyRequest, 'visitor' | 'clientAddress'>): () => void;
};

/** Statements of visitors over the SQL contract, from the API and the pages. */
export type Statements = {
  /**
   * Runs one statement; `signal` cancels it, such as when the client disconnects.
   * @throws Refused `conflict` with a message about the statement, `unavailable`; Denied `too_many`
   */
  ask(
    request: Pick<FastifyRequest, 'visitor' | 'clientAddress'>,
    statement: Omit<VisitorStatement, 'url'>,
  ): Promise<FinishedStatement>;
};

/** Adds routes to a server. */
export type Routes = (app: App, home: RouteContext) => void | Promise<void>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Scopes that a visitor needs. Required for every route, or the server does not start; `open` is for public routes,
     * such as health and sign-in.
     */
    scope?: Scope | readonly Scope[] | 'open';
    /** Whether the route belongs to the API or the pages; set by the server. */
    door?: 'api' | 'page';
  }
  interface FastifyInstance {
    access: Access;
    shares: Shares;
    statements: Statements;
    /** Counts a request that may cost something and whose route does not count it. @throws Denied `too_many` */
    countRun: (request: FastifyRequest) => Promise<void>;
    /** Every route, including those for HEAD. */
    routeTable: readonly {
      method: string;
      url: string;
      scope: Scope | readonly Scope[] | 'open';
      /** Whether it honors `Idempotency-Key`. */
      idempotent: boolean;
    }[];
  }
  interface FastifyRequest {
    /** The visitor, once known. */
    visitor: Visitor;
    /** Address of the client, which a trusted proxy may report; empty if unknown. */
    readonly clientAddress: string;
    /** Context for changes, which are recorded under the visitor. */
    readonly acting: ActingContext;
    /**
     * A new value for the hidden field `form_token` of a form. The gate refuses forms without it, and removes the field
     * before the route sees it.
     */
    readonly formToken: string;
  }
}
