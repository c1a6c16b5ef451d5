/** Messages without what is removed: bodies hold texts of others. As SQL, for forgetting and purging. */

/**
 * Bodies that tell of these discoveries, and what receivers answered to them, are cleared; what was not sent yet is
 * made again without them. `which`: a condition on discoveries `d`, with the parameter $1.
 */
export function clearBodies(which: string): string {
  return `UPDATE strandline.deliveries SET body = NULL, answer = NULL,
    state = CASE WHEN state = 'pending' THEN 'gathering' ELSE state END
  WHERE (body IS NOT NULL OR answer IS NOT NULL) AND id IN (
    SELECT x.delivery_id FROM strandline.delivery_discoveries x
    JOIN strandline.discoveries d ON d.id = x.discovery_id WHERE ${which})`;
}

/** What messages gathered of these discoveries. */
export function leaveOut(which: string): string {
  return `DELETE FROM strandline.delivery_discoveries
  WHERE discovery_id IN (SELECT d.id FROM strandline.discoveries d WHERE ${which})`;
}

/** Rules that watch nothing but what is purged, with all that they told. `which`: a condition on rules `r`. */
export function removeRules(which: string): readonly string[] {
  const rules = `(SELECT r.id FROM strandline.rules r WHERE ${which})`;
  const deliveries = `(SELECT id FROM strandline.deliveries WHERE rule_id IN ${rules})`;
  return [
    `DELETE FROM strandline.delivery_discoveries WHERE delivery_id IN ${deliveries}`,
    `DELETE FROM strandline.deliveries WHERE rule_id IN ${rules}`,
    `DELETE FROM strandline.rule_channels WHERE rule_id IN ${rules}`,
    `DELETE FROM strandline.rules r WHERE ${which}`,
  ];
}
