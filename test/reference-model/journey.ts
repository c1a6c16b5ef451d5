/**
 * Plays a drawn history through the program: scans, claims, paid calls, the spool, late responses, replays, the follower.
 * It sees what services sent and what people did, and reads nothing but public views: the log that it returns is what the
 * model computes from.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from 'pg';
import type { Context } from '../../src/monitor/context.ts';
import { replaySpool } from '../../src/monitor/runs/db-outage.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { replayRun } from '../../src/monitor/runs/late-and-replay.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import { Refused } from '../../src/model/errors.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { ensureService } from '../../src/store/services/services.ts';
import { intercepted } from '../intercepted.ts';
import { gated, json, type StubAnswer, type StubService, wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import {
  type Answer,
  BEGIN,
  type DrawnHistory,
  type Fate,
  type Happening,
  SEARCHES,
  toCopies,
  toLinks,
  toKind,
} from './histories.ts';
import {
  type Copy,
  type Erased,
  type History,
  type Response,
  SECOND,
  type WatchedSearch,
} from './responses.ts';

const MINUTE = 60 * SECOND;
const NOTHING: Answer = { posts: [], links: [], followers: null, isRenamed: false };
/** Between two things that happen in one step, so that no two responses have one time. */
const PAUSE = 7 * SECOND;

export type Played = {
  history: History;
  /** What a person erased in the end: nothing of it is left. */
  erased: Erased;
  reader: Client;
  close(): Promise<void>;
};

/** @throws what the program throws: no history may break it */
export async function play(stub: StubService, drawn: DrawnHistory): Promise<Played> {
  const world = await makeWorld({ hosted: stub.url });
  const directory = await mkdtemp(path.join(tmpdir(), 'strandline-model-'));
  const reader = await connect(world.database.readerUrl, 'strandline test');
  const close = async () => {
    await reader.end();
    await world.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const journey = new Journey(world, stub, reader, directory);
    await journey.begin();
    for (const { wait, runs, after } of drawn.steps) {
      journey.advance(wait);
      await journey.playRuns(runs.map((run) => toKind(drawn.kind, run)));
      await journey.happen(after);
    }
    return { ...(await journey.end(drawn.erased)), reader, close };
  } catch (error) {
    await close();
    throw error;
  }
}

class Journey {
  readonly #world: World;
  readonly #stub: StubService;
  readonly #reader: Client;
  readonly #ctx: World['ctx'];
  readonly #searches: WatchedSearch[] = [];
  readonly #responses: Response[] = [];
  readonly #runs: bigint[] = [];
  /** Runs with a response that may be unread, or on disk. */
  readonly #waiting = new Set<bigint>();
  #first: bigint[] = [];
  #tick = BEGIN;

  constructor(world: World, stub: StubService, reader: Client, directory: string) {
    this.#world = world;
    this.#stub = stub;
    this.#reader = reader;
    const config = { ...world.ctx.config, dataDir: directory };
    const endpoint = () => Promise.resolve({ baseUrl: stub.url, prefix: undefined, key: config.hosted?.key });
    this.#ctx = { ...world.ctx, config, endpoint, ownSources: () => Promise.resolve('answering') };
  }

  /** Creates all searches, each with its first run. */
  async begin(): Promise<void> {
    const { clock, db } = this.#world;
    clock.set(new Date(BEGIN));
    for (const search of SEARCHES) {
      const { slug, topic, service, operation } = search;
      const count = 'count' in search ? search.count : null;
      const { firstRunId } = await createSearch(this.#ctx, {
        slug,
        topic,
        service,
        operation,
        prompt: slug,
        sensitivity: 'off',
        ...('cron' in search ? { cron: search.cron } : { every: search.every }),
        ...(count === null ? {} : { extra: JSON.stringify({ count }) }),
      });
      this.#first.push(firstRunId);
      const everySeconds =
        'cron' in search || search.every.startsWith('auto') ? null : parseInterval(search.every);
      this.#searches.push({
        slug,
        topic,
        service,
        kind: service,
        operation,
        everySeconds,
        count,
        pauses: [],
      });
    }
    // The stub has one set of names, for both.
    await ensureService(db, { name: 'own', kind: 'own', address: null, dialect: 'named', now: clock.now() });
  }

  advance(minutes: number): void {
    this.#tick += minutes * MINUTE;
    this.#world.clock.set(new Date(this.#tick));
  }

  async playRuns(drawn: readonly { fate: Fate; answer: Answer }[]): Promise<void> {
    const scanned = await this.#world.scan();
    const due = [...new Set([...this.#first, ...scanned])];
    this.#first = [];
    for (const [i, run] of due.entries()) {
      const { fate, answer } = drawn[i % drawn.length] ?? { fate: 'in time', answer: NOTHING };
      this.#runs.push(run);
      await this.#playRun(run, fate, answer, drawn[(i + 1) % drawn.length]?.answer ?? answer);
      this.#world.clock.advance(PAUSE);
    }
  }

  async #playRun(run: bigint, fate: Fate, answer: Answer, other: Answer): Promise<void> {
    const ctx = this.#ctx;
    switch (fate) {
      case 'in time':
        this.#stub.answers(this.#say(answer, { isLate: false }));
        await executeRun(ctx, run);
        return;
      case 'service down':
        this.#stub.answers(json({ detail: 'down' }, 503));
        await executeRun(ctx, run);
        return;
      case 'no call left':
        await executeRun({ ...ctx, config: { ...ctx.config, maxCallsPerRun: 0 } }, run);
        return;
      case 'spooled':
        return this.#spool(run, answer);
      case 'late':
      case 'older beside':
      case 'newer beside':
        return this.#overtake(run, fate, answer, other);
    }
  }

  /** Responds, and notes what it said in the log. */
  #say(answer: Answer, { isLate }: { isLate: boolean }): StubAnswer {
    return async (request, response) => {
      const run = String(request.headers['x-run-id']);
      const [{ search }] = await this.#read<{ search: string }>('SELECT search FROM runs WHERE id = $1', [
        run,
      ]);
      const at = this.#world.clock.now().getTime();
      const posts = toCopies(answer, at);
      const links = search.endsWith('web') ? toLinks(answer) : [];
      const service = this.#searches.find(({ slug }) => slug === search)?.service ?? '';
      this.#responses.push({
        search,
        service,
        run,
        at,
        posts,
        orphans: [],
        returned: posts.length,
        links,
        isLate,
      });
      this.#waiting.add(BigInt(run));
      const web = { organic_results: links.map(({ url, title }) => ({ title, link: url, snippet: title })) };
      const body = {
        miner_tweets: posts.map(toWire),
        ...(links.length === 0 ? {} : { web_search_results: web }),
      };
      await json(body)(request, response);
    };
  }

  /** The worker waits for its response while another one takes over the run: the response is unread when the run ends. */
  async #overtake(run: bigint, fate: Fate, answer: Answer, other: Answer): Promise<void> {
    const { clock } = this.#world;
    const call = gated(this.#say(answer, { isLate: true }));
    let sleeping: Promise<unknown> = Promise.resolve();
    const isCalling = await new Promise<boolean>((resolve) => {
      this.#stub.answers((request, response) => {
        resolve(true);
        return call.answer(request, response);
      });
      sleeping = executeRun({ ...this.#ctx, worker: 'sleeper' }, run).finally(() => resolve(false));
    });
    if (!isCalling) {
      await sleeping;
      return;
    }
    const release = async () => {
      clock.advance(SECOND);
      call.open();
      await sleeping;
      clock.advance(SECOND);
    };
    // Leases end by the database's clock, which no test moves.
    await this.#world.db.pool.query(
      `UPDATE strandline.runs SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`,
      [run],
    );
    await this.#world.scanned();
    const taker: Context = { ...this.#ctx, worker: 'taker' };
    if (fate === 'late') {
      await executeRun({ ...taker, config: { ...taker.config, maxCallsPerRun: 1 } }, run);
      return release();
    }
    this.#stub.answers(async (request, response) => {
      if (fate === 'older beside') await release();
      await this.#say(other, { isLate: false })(request, response);
    });
    await executeRun(taker, run);
    if (fate === 'newer beside') await release();
    else call.open();
    await sleeping;
  }

  /** The database is away when the response arrives, and its worker stops: the response is on disk. */
  async #spool(run: bigint, answer: Answer): Promise<void> {
    const stopping = new AbortController();
    const db = intercepted(this.#world.db, {
      ofPool: (query, given) => {
        const [statement] = given;
        const isStore =
          typeof statement === 'object' &&
          statement !== null &&
          'name' in statement &&
          statement.name === 'store_response';
        if (!isStore) return query(...given);
        stopping.abort();
        return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
      },
    });
    this.#stub.answers(this.#say(answer, { isLate: true }));
    await executeRun({ ...this.#ctx, db }, run, stopping.signal);
  }

  async happen(happening: Happening): Promise<void> {
    switch (happening.does) {
      case 'nothing':
        return;
      case 'derive':
        await this.#world.derive();
        return;
      case 'read late': {
        await replaySpool(this.#ctx);
        const waiting = [...this.#waiting];
        const run = waiting[happening.nth % Math.max(1, waiting.length)];
        if (run !== undefined) await this.#readLate(run);
        return;
      }
      case 'replay': {
        const run = this.#runs[happening.nth % Math.max(1, this.#runs.length)];
        if (run === undefined) return;
        await replayRun(this.#ctx, run).catch((error: unknown) => {
          // Without a response there is nothing to parse again.
          if (!(error instanceof Refused)) throw error;
        });
        return;
      }
      case 'pause':
      case 'resume': {
        const search = this.#searches[happening.nth];
        if (search === undefined) return;
        await changeSearch(this.#ctx, search.slug, happening.does);
        const now = this.#world.clock.now().getTime();
        const open = search.pauses.at(-1);
        if (happening.does === 'pause' && open?.until !== null)
          search.pauses.push({ from: now, until: null });
        if (happening.does === 'resume' && open?.until === null) open.until = now;
        return;
      }
    }
  }

  /** Executes a run that has a response and no lease; if it has ended, that reads its late responses. */
  async #readLate(run: bigint): Promise<void> {
    await this.#world.db.pool.query(
      `UPDATE strandline.runs SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1 AND status = 'running'`,
      [run],
    );
    await this.#world.scanned();
    this.#stub.answers(json({ detail: 'down' }, 503));
    await executeRun(this.#ctx, run);
    this.#world.clock.advance(PAUSE);
  }

  /** Every response is read and derived, and what a person wants gone is erased. */
  async end(erased: DrawnHistory['erased']): Promise<Pick<Played, 'history' | 'erased'>> {
    this.advance(24 * 60);
    await replaySpool(this.#ctx);
    for (const run of this.#waiting) await this.#readLate(run);
    await this.#world.derive();
    const gone = {
      search: erased === 'a search' ? 'harbor-posts' : null,
      author: erased === 'an author' ? '901' : null,
    };
    if (gone.search !== null) {
      const target = { kind: 'search', slug: gone.search } as const;
      await finishPurge(this.#ctx.db, await requestPurge(this.#ctx, target));
    }
    if (gone.author !== null) {
      // Maybe no response had the author.
      const [{ n }] = await this.#read<{ n: string }>(
        `SELECT count(*) AS n FROM authors WHERE service = 'hosted' AND external_id = $1`,
        [gone.author],
      );
      const author = Number(n) === 1 ? await findAuthor(this.#ctx.db, 'hosted', gone.author) : undefined;
      if (author !== undefined) await forgetAuthor(this.#ctx, author);
    }
    await this.#world.derive();
    const paces = await this.#read<{ run: string; seconds: number }>(
      'SELECT run_id::text AS run, every_seconds AS seconds FROM coverage',
    );
    return {
      history: {
        searches: this.#searches,
        responses: this.#responses,
        intervals: new Map(paces.map(({ run, seconds }) => [run, seconds])),
      },
      erased: gone,
    };
  }

  // Rows of public views: the statement says what they hold.
  async #read<Row>(sql: string, values: unknown[] = []): Promise<[Row, ...Row[]]> {
    const { rows } = await this.#reader
      .query(`SET search_path = strandline_analytics`)
      .then(() => this.#reader.query(sql, values));
    return rows as [Row, ...Row[]];
  }
}

function parseInterval(every: string): number {
  const [, n, unit] = /^(\d+)([mh])$/.exec(every) ?? [];
  return Number(n) * (unit === 'h' ? 3_600 : 60);
}

/** A post in the wire's names. */
function toWire(copy: Copy): Record<string, unknown> {
  const { id, text, createdAt, lang, hashtags, urls, isRepost, author, counts, quoted } = copy;
  return wirePost(id, {
    text,
    created_at: createdAt === null ? undefined : new Date(createdAt).toISOString(),
    lang,
    is_retweet: isRepost,
    user: {
      id: author.id,
      username: author.username,
      name: `Author ${author.id}`,
      followers_count: author.followers,
    },
    url: `https://x.example/author_${author.id}/status/${id}`,
    entities: {
      hashtags: hashtags.map((tag) => ({ text: tag })),
      urls: urls.map((url) => ({ url, expanded_url: url })),
    },
    like_count: counts.like_count,
    retweet_count: counts.repost_count,
    view_count: counts.view_count,
    quote_count: counts.quote_count,
    reply_count: counts.reply_count,
    bookmark_count: counts.bookmark_count,
    ...(quoted === null ? {} : { is_quote_tweet: true, quoted_status_id: quoted.id, quote: toWire(quoted) }),
  });
}
