/** The queue's schema in Postgres: checks and migrates the tables of BullMQ. */

import { Refused } from '../../model/errors.ts';
import type { Logger } from '../logger.ts';
import type { Client } from 'pg';

/** Major version of our BullMQ (exactly 6.7.0), and version of its schema. */
export const QUEUE_CLIENT = 6;
export const QUEUE_VERSION = 11;

/**
 * Schema objects of our BullMQ (exactly 6.7.0), as returned by {@link readParts}. After an upgrade, the test lists the
 * differences.
 */
export const QUEUE_PARTS: readonly string[] = `
column:dedup.dedup_id:text! column:dedup.expire_at_ms:int8 column:dedup.job_id:text! column:dedup.queue:text!
column:dedup_next.dedup_id:text! column:dedup_next.payload:jsonb! column:dedup_next.queue:text!
column:event.created_at_ms:int8! column:event.data:jsonb! column:event.event:text! column:event.id:int8!
column:event.queue:text! column:job.added_at_ms:int8! column:job.attempts_made:int4! column:job.attempts_started:int4!
column:job.data:jsonb! column:job.dedup_id:text column:job.deferred_failure:text column:job.delay_ms:int8!
column:job.failed_reason:text column:job.finished_at_ms:int8 column:job.id:text! column:job.lock_token:text
column:job.locked_until_ms:int8 column:job.max_attempts:int4! column:job.name:text! column:job.opts:jsonb!
column:job.parent_id:text column:job.parent_key:text column:job.parent_queue:text column:job.pending_deps:int4!
column:job.priority:int4! column:job.process_at_ms:int8 column:job.processed_at_ms:int8 column:job.processed_by:text
column:job.progress:jsonb column:job.queue:text! column:job.return_value:jsonb column:job.scheduler_id:text
column:job.seq:int8! column:job.stacktrace:jsonb column:job.stalled_count:int4! column:job.stalled_marked:bool!
column:job.state:job_state! column:job_dependency.child_id:text! column:job_dependency.child_key:text!
column:job_dependency.child_queue:text! column:job_dependency.parent_id:text! column:job_dependency.parent_queue:text!
column:job_dependency.status:dep_status! column:job_dependency.value:jsonb column:job_log.idx:int8!
column:job_log.job_id:text! column:job_log.queue:text! column:job_log.row:text! column:meta.field:text!
column:meta.queue:text! column:meta.value:text column:metrics.count:int8! column:metrics.data:_int8!
column:metrics.kind:text! column:metrics.prev_count:int8! column:metrics.prev_ts:int8 column:metrics.queue:text!
column:migration.applied_at:timestamptz! column:migration.min_client_version:int4! column:migration.name:text!
column:migration.version:int4! column:rate_limit.expire_at_ms:int8! column:rate_limit.points:int8!
column:rate_limit.queue:text! column:relay_inbox.data:text! column:relay_inbox.endpoints:_text!
column:relay_inbox.id:int8! column:relay_inbox.kind:text! column:relay_inbox.mid:int8!
column:relay_inbox.node_id:text! column:relay_inbox.ns:text! column:relay_inbox.topic:text!
column:relay_inbox.ts:int8! column:relay_node.backlog:int4! column:relay_node.dropped:int8!
column:relay_node.in_flight:_int8! column:relay_node.info:jsonb! column:relay_node.last_heartbeat:timestamptz
column:relay_node.lease_until:timestamptz! column:relay_node.node_id:text! column:relay_node.ns:text!
column:relay_node.registered_at:timestamptz! column:relay_retained.data:text!
column:relay_retained.expires_at:timestamptz! column:relay_retained.mid:int8! column:relay_retained.ns:text!
column:relay_retained.topic:text! column:relay_retained.ts:int8! column:relay_subscription.endpoint_id:text!
column:relay_subscription.node_id:text! column:relay_subscription.ns:text! column:relay_subscription.pattern:text!
column:relay_subscription.root:text column:scheduler.end_date_ms:int8 column:scheduler.every_ms:int8
column:scheduler.iteration_count:int4! column:scheduler.limit_count:int4 column:scheduler.name:text
column:scheduler.next_run_ms:int8 column:scheduler.offset_ms:int8 column:scheduler.pattern:text
column:scheduler.producer_id:text column:scheduler.queue:text! column:scheduler.scheduler_id:text!
column:scheduler.start_date_ms:int8 column:scheduler.template_data:jsonb column:scheduler.template_opts:jsonb
column:scheduler.tz:text function:add_flow/1:5685f52f function:add_flow_unlocked/1:4814f1fd
function:add_job/15:5460d3f6 function:add_job_scheduler/9:06c259a9 function:add_job_unlocked/15:9d1e087f
function:add_jobs_bulk/2:1b712e76 function:add_jobs_bulk_unlocked/2:42eb8cf9 function:apply_retention/7:141c449c
function:change_delay/4:1c0a781a function:change_priority/4:3dad0e0f function:clean/4:eafe8085
function:collect_metrics/4:ea75861c function:dedup_finalize/4:a378fbc2 function:dedup_on_removal/3:e7b62c1b
function:dedup_store_next/8:af762b35 function:deduplicate_job/7:dab04649 function:drain/2:02bc8bbd
function:extend_lock/5:29a23570 function:get_range/5:6dabcd19 function:handle_child_failure/4:bfb35cfd
function:handle_duplicated_job/7:14cacfd3 function:job_id_seq_name/1:c69cbc05
function:lock_finalization_queues/2:728ec8ca function:lock_producer_queues/1:c33bc51c
function:move_active_to_wait/4:dcbbb602 function:move_parent_to_wait/3:3bb55ec7
function:move_stalled_jobs_to_wait/4:9c1b3e85 function:move_to_active/7:cb099ee7 function:move_to_completed/8:bb93c722
function:move_to_completed_fetch/13:01cd40ac function:move_to_delayed/8:06d17665 function:move_to_failed/9:fdf2ce48
function:move_to_failed_fetch/14:54834f9f function:move_to_waiting_children/3:af6931ad function:next_delay/1:f861ffa3
function:next_job_id/1:038082cd function:next_signal/3:93002fa6 function:obliterate/3:c7646abd
function:pause/2:63078258 function:promote/2:52614244 function:promote_jobs/2:539d114b
function:publish_event/3:df8a2eda function:rate_limit_consume/3:68fdb495 function:rate_limit_effective/3:b249a408
function:rate_limit_ttl/3:33e75efd function:relay_delete_retained/2:289b56b9 function:relay_get_counts/1:22c1490d
function:relay_get_namespaces/0:07c0b6d7 function:relay_get_nodes/3:235abc45 function:relay_get_patterns/3:2cbf385d
function:relay_get_retained/3:a048366d function:relay_get_subscriptions/5:1b624bbb function:relay_heartbeat/3:f40e9423
function:relay_is_valid_id/1:899a70e3 function:relay_match_topic/2:0a107a32 function:relay_ms/1:994be208
function:relay_page_limit/2:6918dcc2 function:relay_parse_topic/2:cd7fad35 function:relay_publish/6:4167b5d6
function:relay_read_inbox/4:b04f5e72 function:relay_register_node/4:679244c8 function:relay_remove_endpoint/3:a195ca37
function:relay_subscribe/4:fd5066e5 function:relay_sweep/2:610ea49f function:relay_trim_inbox/4:155e1440
function:relay_unregister_node/2:94ee781e function:remove/3:176d07a5 function:remove_child_dependency/4:cf026a5c
function:remove_job_scheduler/2:01051c11 function:remove_unprocessed_children/2:043260aa
function:reprocess_job/6:6870f19a function:requeue_dedup_next/3:8c1d0f4e function:retry_job/6:3cb30cb1
function:retry_jobs/4:d57ae40f function:scheduler_every_next_millis/5:e52264be function:set_rate_limit/3:ecb9e0dd
function:update_job_scheduler_next_millis/7:3ed4a8e8 function:update_progress/3:8dff435f
index:dedup_expire_idx:queue,expire_at_ms index:dedup_job_idx:queue,job_id index:dedup_next_pkey:queue,dedup_id
index:dedup_pkey:queue,dedup_id index:dep_child_idx:child_queue,child_id
index:dep_parent_status_idx:parent_queue,parent_id,status index:event_pkey:queue,id
index:job_active_idx:queue,locked_until_ms index:job_delayed_idx:queue,process_at_ms
index:job_dependency_pkey:parent_queue,parent_id,child_key index:job_finished_idx:queue,state,finished_at_ms
index:job_log_pkey:queue,job_id,idx index:job_parent_idx:parent_queue,parent_id index:job_pkey:queue,id
index:job_ready_idx:queue,priority,seq index:job_scheduler_idx:queue,scheduler_id
index:job_waiting_children_idx:queue,seq index:meta_pkey:queue,field index:metrics_pkey:queue,kind
index:migration_pkey:version index:rate_limit_pkey:queue index:relay_inbox_node_idx:ns,node_id,id
index:relay_inbox_pkey:id index:relay_node_lease_idx:lease_until index:relay_node_pkey:ns,node_id
index:relay_node_registered_idx:ns,registered_at index:relay_retained_expiry_idx:expires_at
index:relay_retained_pkey:ns,topic index:relay_subscription_endpoint_idx:ns,node_id,endpoint_id
index:relay_subscription_pkey:ns,pattern,node_id,endpoint_id index:relay_subscription_root_idx:ns,root
index:scheduler_next_idx:queue,next_run_ms index:scheduler_pkey:queue,scheduler_id sequence:event_seq:
sequence:job_seq: sequence:relay_inbox_id_seq: sequence:relay_mid_seq:
`
  .trim()
  .split(/\s+/);

/** The Postgres schema of the queue. */
export const QUEUE_SCHEMA = 'bullmq';

/** `absent`: no tables, or an object of BullMQ's migrations is missing or different. Additional objects are ignored. */
type QueueState = 'absent' | 'behind' | 'current' | 'newer';

/**
 * Migrates the queue's tables in one BullMQ transaction. The client must be a single connection.
 * @returns whether anything was migrated, and a note for a person if the queue was damaged
 * @throws Refused if a newer BullMQ created them
 */
export async function migrateQueue(
  client: Client,
  log: Logger,
): Promise<{ migrated: boolean; note?: string }> {
  const before = await queueState(client);
  if (before === 'newer')
    throw new Refused(
      'conflict',
      `The schema "${QUEUE_SCHEMA}" was created by a newer BullMQ than this strandline includes. ` +
        'Upgrade strandline.',
    );
  if (before === 'current') return { migrated: false };
  const note = before === 'absent' ? await dropDamaged(client, log) : undefined;
  const { runMigrations } = await import('bullmq');
  await runMigrations(client, QUEUE_SCHEMA);
  return { migrated: true, ...(note === undefined ? {} : { note }) };
}

/** How many missing objects are named; others are counted. */
const MAX_NAMED = 5;

/** A damaged queue cannot be migrated, and nothing in it is needed: the scan enqueues all work again. */
async function dropDamaged(client: Client, log: Logger): Promise<string | undefined> {
  const found = await readParts(client);
  let note: string | undefined;
  if (found.size > 0) {
    const lost = missingOf(found).map((part) => part.split(':', 2).join(' '));
    if (lost.length === 0) lost.push('rows of the table migration');
    const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : '';
    const missing = lost.slice(0, MAX_NAMED).join(', ') + more;
    log.warn({ schema: QUEUE_SCHEMA, missing }, 'queue schema damaged; re-creating it');
    note = `The schema "${QUEUE_SCHEMA}" was damaged and has been re-created. Missing or different: ${missing}.`;
  }
  await client.query(`DROP SCHEMA IF EXISTS ${QUEUE_SCHEMA} CASCADE`);
  return note;
}

function missingOf(found: ReadonlySet<string>): string[] {
  return QUEUE_PARTS.filter((part) => !found.has(part));
}

/** State of the queue's tables. */
export async function queueState(client: Client): Promise<QueueState> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('${QUEUE_SCHEMA}.migration') IS NOT NULL AS there`,
  );
  if (rows[0]?.there !== true) return 'absent';
  // Same check as in BullMQ, without loading BullMQ in every command. The schema records its oldest compatible client.
  const { rows: made } = await client.query<{ version: number | null; client: number | null }>(
    `SELECT max(version)::int AS version, max((to_jsonb(m)->>'min_client_version')::int) AS client
     FROM ${QUEUE_SCHEMA}.migration m`,
  );
  const { version = null, client: oldestClient = null } = made[0] ?? {};
  if (version === null) return 'absent';
  if (oldestClient !== null && oldestClient > QUEUE_CLIENT) return 'newer';
  if (version !== QUEUE_VERSION) return version < QUEUE_VERSION ? 'behind' : 'current';
  return missingOf(await readParts(client)).length === 0 ? 'current' : 'absent';
}

/**
 * Columns, indexes, sequences, triggers and functions, each as `kind:name:definition`. Does not use pg_get_*def, whose
 * output depends on the server version and the search path.
 */
export async function readParts(client: Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ part: string }>(
    `SELECT 'column:' || c.relname || '.' || a.attname || ':' || y.typname || CASE WHEN a.attnotnull THEN '!' ELSE '' END AS part
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     JOIN pg_type y ON y.oid = a.atttypid
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p')
     UNION ALL
     SELECT 'index:' || c.relname || ':' || string_agg(a.attname, ',' ORDER BY a.attnum)
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'i' GROUP BY c.oid, c.relname
     UNION ALL
     SELECT 'sequence:' || relname || ':' FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'S'
     UNION ALL
     SELECT 'trigger:' || c.relname || '.' || t.tgname || ':' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = to_regnamespace($1) AND NOT t.tgisinternal
     UNION ALL
     SELECT 'function:' || proname || '/' || pronargs || ':' || left(md5(prosrc), 8)
     FROM pg_proc WHERE pronamespace = to_regnamespace($1)`,
    [QUEUE_SCHEMA],
  );
  return new Set(rows.map(({ part }) => part));
}
