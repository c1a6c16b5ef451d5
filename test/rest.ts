/**
 * What `npm test` leaves to `npm run test:all`: files that take seconds, because they start programs, browsers or servers of
 * their own, kill them, draw thousands of cases, or run through a whole history. Rules, statements, operations and pages have
 * quick tests, which are not listed. Paths as in vitest.config.ts.
 */
export const REST: readonly string[] = [
  // Faults other than the main rows, and random orders of statements.
  'test/faults/on-*.test.ts',
  'test/interleavings/*.test.ts',
  'test/run/{many-workers,queue-lost,signals,waits-for-source}.test.ts',
  'test/store/{order,save-together,together}.test.ts',
  'test/reference-model/*.test.ts',
  // Postgres and Redis in every state, and programs that start, stop and take over.
  'test/engine/{killed,owners,places,pooler,queue-away,queue,settings,stale-pid-file,test-database}.test.ts',
  'test/store/{backup,contract-views,migrate,roles}.test.ts',
  // The program as a package, as an image, and as the documentation says.
  'test/house/guides/*.test.ts',
  'test/house/start.test.ts',
  'test/image/*.test.ts',
  'test/grafana/*.test.ts',
  'test/mcp/*.test.ts',
  'test/cli/{audit,demo,first-token,keep,loading,output,posts,reader,remote,sandbox,searches,server,versions}.test.ts',
  'test/status/doors.test.ts',
  'test/watch-file/{described,thirty-topics}.test.ts',
  // A browser, but for the main pages.
  'test/browser/{first-minutes,hostile,live,pages,tasks}.test.ts',
  // Attacks, drawn requests, and clients that are slow or disappear.
  'test/security/{canaries,statement-limits,supply}.test.ts',
  'test/security/statement-process.test.ts',
  'test/security/statements.test.ts',
  'test/house/regexes.test.ts',
  'test/read/fuzz.test.ts',
  'test/read/loop.test.ts',
  'test/store/reader.test.ts',
  'test/client/time.test.ts',
  'test/service/answer/{injection,support-check}.test.ts',
  'test/web/access/{behind-proxy,server,sign-in}.test.ts',
  'test/web/attack/{caches,hostile}.test.ts',
  'test/web/shares/*.test.ts',
  'test/web/api/{fuzz,interrupted,slow-reader}.test.ts',
  // Every view, list, page and message of one whole history.
  'test/conformance/*.test.ts',
  'test/export/{continued,files,resources,restored,rows}.test.ts',
  'test/house/questions/*.test.ts',
  'test/schedule/cadence.oracle.test.ts',
  'test/run/{figures,simulated-past}.test.ts',
  'test/topic/sample-past.test.ts',
  'test/service/sandbox/{truth,variety}.test.ts',
  'test/store/{growth,kinds,purge,set-aside,share-of-voice,things}.test.ts',
  'test/tell/{another-kind,deliver,filters,found-rows,kind-rules,mail-delivery,mail-tls,match,once-per-topic,two-weeks}.test.ts',
  'test/web/figures/*.test.ts',
  'test/web/mount.test.ts',
  'test/web/pages/{details,lists,unchanged}.test.ts',
  // Sources and their pages, by thousands of documents.
  'test/provider-check/*.test.ts',
  'test/service/sources/{feed-variety,feeds,page-opener}.test.ts',
  'test/model/completion-change.test.ts',
];

/**
 * Files that take half a minute and more, longest first: each project begins with its own. Begun last, such a file leaves the
 * other worker without work, and its size says nothing of its duration.
 */
export const LONG: readonly string[] = [
  'test/house/guides/guides.test.ts',
  'test/faults/on-redis.test.ts',
  'test/faults/on-postgres.test.ts',
  'test/image/image.test.ts',
  'test/browser/pages.test.ts',
  'test/faults/main-rows.test.ts',
  'test/browser/main-pages.test.ts',
];
