const TEMPLATE_TEXT = `users.next_plan ->> 'user_template_id'`;

/**
 * SQL: the template that the next plan of a row of `users` begins with; an index has it so. Null, never an error, for what
 * is no id: an error would stop the list or the life cycle of all others.
 */
export const PLANNED_TEMPLATE = `(CASE WHEN ${TEMPLATE_TEXT} ~ '^[0-9]{1,9}$' THEN (${TEMPLATE_TEXT})::integer END)`;

const integer = (member: string, least: number): string =>
  `@.${member} >= ${least} && @.${member}.floor() == @.${member}`;

/**
 * SQL: whether the next plan of a row of `users` has the members of one, each of its kind. Whoever has a number in it that no
 * column takes is set aside when it is due.
 */
export const SOUND_PLAN = `jsonb_path_exists(users.next_plan, 'strict $ ? (
  ${integer('data_limit', 0)} && ${integer('expire', 0)}
  && (@.add_remaining_traffic == true || @.add_remaining_traffic == false)
  && (@.user_template_id == null || ${integer('user_template_id', 1)}))', '{}', true)`;

/**
 * SQL: why the next plan of a row of `users` cannot begin now, see PlanProblem; null when it can. What stops it is a
 * template that was deleted or disabled after the plan was made: the plan then waits, and is shown so.
 */
export const PLAN_PROBLEM = `(
  SELECT CASE WHEN NOT ${SOUND_PLAN} THEN 'damaged' WHEN planned.template_id IS NULL THEN NULL
    WHEN template.id IS NULL THEN 'missing' WHEN template.is_disabled THEN 'disabled' END
  FROM (SELECT ${PLANNED_TEMPLATE} AS template_id) planned
  LEFT JOIN user_templates template ON template.id = planned.template_id)`;
