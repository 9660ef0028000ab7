/** SQL: the template that the next plan of a row of `users` begins with; an index has it so. */
export const PLANNED_TEMPLATE = `(users.next_plan ->> 'user_template_id')::integer`;

/**
 * SQL: why the next plan of a row of `users` cannot begin now, see PlanProblem; null when it can. What stops it is a
 * template that was deleted or disabled after the plan was made: the plan then waits, and is shown so.
 */
export const PLAN_PROBLEM = `(
  SELECT CASE WHEN template.id IS NULL THEN 'missing' WHEN template.is_disabled THEN 'disabled' END
  FROM (SELECT ${PLANNED_TEMPLATE} AS template_id) planned
  LEFT JOIN user_templates template ON template.id = planned.template_id
  WHERE planned.template_id IS NOT NULL)`;
