const TEMPLATE_TEXT = `users.next_plan ->> 'user_template_id'`;

/**
 * SQL: the id of the template of a row's next plan, in the exact form of the index. It is null for a value that is not
 * an id: an error would stop the list or the life cycle of all other users.
 */
export const PLANNED_TEMPLATE = `(CASE WHEN ${TEMPLATE_TEXT} ~ '^[0-9]{1,9}$' THEN (${TEMPLATE_TEXT})::integer END)`;

const integer = (member: string, least: number): string =>
  `@.${member} >= ${least} && @.${member}.floor() == @.${member}`;

/**
 * SQL: whether the next plan of a row of `users` has all members with the right types. A user whose plan holds a number
 * that no column accepts is set aside when the plan is due.
 */
export const SOUND_PLAN = `jsonb_path_exists(users.next_plan, 'strict $ ? (
  ${integer('data_limit', 0)} && ${integer('expire', 0)}
  && (@.add_remaining_traffic == true || @.add_remaining_traffic == false)
  && (@.user_template_id == null || ${integer('user_template_id', 1)}))', '{}', true)`;

/**
 * SQL: why the next plan of a row of `users` cannot begin now, see PlanProblem; null when it can. A plan whose template was
 * deleted or disabled waits, and is shown with its problem.
 */
export const PLAN_PROBLEM = `(
  SELECT CASE WHEN NOT ${SOUND_PLAN} THEN 'damaged' WHEN planned.template_id IS NULL THEN NULL
    WHEN template.id IS NULL THEN 'missing' WHEN template.is_disabled THEN 'disabled' END
  FROM (SELECT ${PLANNED_TEMPLATE} AS template_id) planned
  LEFT JOIN user_templates template ON template.id = planned.template_id)`;
