import { type PlannedTerms, type TemplateTerms, withExtraSettings, withNextPlan } from '@rampart/domain';
import { Any, type EntityManager } from 'typeorm';
import { ManagementError } from '../../errors/management-error.js';
import { storedExtraSettings } from '../credentials/stored-extra-settings.js';
import { changeProxySettings } from '../credentials/user-proxy-settings.js';
import { type NextPlan, shownNextPlan } from '../entities/next-plan.dto.js';
import { type StoredUser, User } from '../entities/user.entity.js';
import { clearTraffic } from './clear-traffic.js';
import { nextResetAt } from './next-reset-at.js';
import { PLANNED_TEMPLATE, SOUND_PLAN } from './plan-problem.js';

/** The terms that a plan takes from its template, without the groups. */
type PlannedTemplate = TemplateTerms &
  Pick<User, 'dataLimit' | 'dataLimitResetStrategy'> & { id: number; extraSettings: unknown };

/** The templates of users' plans, locked so that none is deleted, disabled or changed while its plans begin. */
const TEMPLATES = `SELECT json_build_object('id', id, 'status', status, 'expireDuration', expire_duration, 'onHoldTimeout',
    on_hold_timeout, 'dataLimit', data_limit, 'dataLimitResetStrategy', data_limit_reset_strategy, 'extraSettings',
    extra_settings) AS template
  FROM user_templates
  WHERE NOT is_disabled AND id IN (SELECT ${PLANNED_TEMPLATE} FROM users WHERE users.id = ANY ($1::integer[]))
  ORDER BY id FOR SHARE`;

/** The users among `$1` whose plan has no template, or one of `$2`. */
const READY = `SELECT id FROM users WHERE id = ANY ($1::integer[]) AND next_plan IS NOT NULL AND ${SOUND_PLAN}
  AND (${PLANNED_TEMPLATE} IS NULL OR ${PLANNED_TEMPLATE} = ANY ($2::integer[]))`;

/** The memberships that users get from the templates of their plans. */
const GRANTED = `SELECT users.id AS user_id, granted.group_id
  FROM users JOIN user_template_groups granted
    ON granted.user_template_id = ${PLANNED_TEMPLATE}
  WHERE users.id = ANY ($1::integer[])`;

const REPLACE_GROUPS = [
  `DELETE FROM user_groups USING users
   WHERE user_groups.user_id = users.id AND users.id = ANY ($1::integer[])
     AND ${PLANNED_TEMPLATE} IS NOT NULL
     AND (user_groups.user_id, user_groups.group_id) NOT IN (${GRANTED})`,
  `INSERT INTO user_groups (user_id, group_id) ${GRANTED} ON CONFLICT DO NOTHING`,
];

const BEGIN = `UPDATE users SET status = begun.status, expire = begun.expire, data_limit = begun.data_limit,
    data_limit_reset_strategy = begun.data_limit_reset_strategy, next_reset_at = begun.next_reset_at,
    on_hold_expire_duration = begun.on_hold_expire_duration, on_hold_timeout = begun.on_hold_timeout,
    next_plan = NULL
  FROM jsonb_to_recordset($1) AS begun (id integer, status text, expire timestamptz, data_limit bigint,
    data_limit_reset_strategy text, next_reset_at timestamptz, on_hold_expire_duration bigint,
    on_hold_timeout timestamptz)
  WHERE users.id = begun.id`;

/** Begins the next plans of the users whose time or traffic is used up, and returns their ids. */
export function beginNextPlans(manager: EntityManager, userIds: readonly number[], now: Date): Promise<number[]> {
  return begin(manager, `${READY} AND status IN ('expired', 'limited')`, userIds, now);
}

/** Begins the next plan of one user, whatever the status. @throws ManagementError when the plan cannot begin */
export async function beginNextPlan(manager: EntityManager, { id, nextPlan }: StoredUser, now: Date): Promise<void> {
  if (!nextPlan) throw new ManagementError('NEXT_PLAN_NOT_FOUND');
  const template = await checkNextPlan(manager, shownNextPlan(nextPlan));
  if (template?.isDisabled) throw new ManagementError('USER_TEMPLATE_DISABLED');
  const begun = await begin(manager, READY, [id], now);
  // A damaged plan is treated as no plan.
  if (begun.length === 0) throw new ManagementError('NEXT_PLAN_NOT_FOUND');
}

/**
 * Locks the template of a plan, and refuses a plan whose template does not exist. A disabled template is accepted: it may be
 * enabled before the plan begins.
 */
export async function checkNextPlan(
  manager: EntityManager,
  plan: NextPlan | null,
): Promise<{ isDisabled: boolean } | undefined> {
  if (!plan?.user_template_id) return undefined;
  const [template] = await manager.query<{ isDisabled: boolean }[]>(
    'SELECT is_disabled AS "isDisabled" FROM user_templates WHERE id = $1 FOR SHARE',
    [plan.user_template_id],
  );
  if (!template) throw new ManagementError('USER_TEMPLATE_NOT_FOUND');
  return template;
}

/** Requires that the caller has locked the users and holds the revision counter, so that no group can be deleted. */
async function begin(manager: EntityManager, ready: string, userIds: readonly number[], now: Date): Promise<number[]> {
  const templates = await lockTemplates(manager, userIds);
  const ids = (await manager.query<{ id: number }[]>(ready, [userIds, [...templates.keys()]])).map(({ id }) => id);
  if (ids.length === 0) return ids;
  const users = await manager.findBy(User, { id: Any(ids) });
  const planned = new Map(users.map((user) => [user.id, templates.get(user.nextPlan?.user_template_id ?? 0)]));
  const begun = users.map((user) => begunPlan(user, planned.get(user.id), now));
  await clearTraffic(manager, ids);
  for (const statement of REPLACE_GROUPS) await manager.query(statement, [ids]);
  await manager.query(BEGIN, [JSON.stringify(begun)]);
  const given = ids.filter((id) => planned.get(id)?.extraSettings);
  await changeProxySettings(manager, given, (settings, id) =>
    withExtraSettings(settings, storedExtraSettings(planned.get(id)?.extraSettings)),
  );
  return ids;
}

async function lockTemplates(
  manager: EntityManager,
  userIds: readonly number[],
): Promise<Map<number, PlannedTemplate>> {
  const rows = await manager.query<{ template: PlannedTemplate }[]>(TEMPLATES, [userIds]);
  return new Map(rows.map(({ template }) => [template.id, template]));
}

/** The columns of a user whose plan has begun. Without a template, what the plan does not set stays. */
function begunPlan(user: User, template: PlannedTemplate | undefined, now: Date): object {
  const state = withNextPlan(user, plannedTerms(user, template), now);
  const dataLimitResetStrategy = template?.dataLimitResetStrategy ?? user.dataLimitResetStrategy;
  return {
    id: user.id,
    status: state.status,
    expire: state.expire,
    data_limit: state.dataLimit,
    data_limit_reset_strategy: dataLimitResetStrategy,
    next_reset_at: nextResetAt(user, { dataLimit: state.dataLimit, dataLimitResetStrategy }, now),
    on_hold_expire_duration: state.onHoldExpireDuration,
    on_hold_timeout: state.onHoldTimeout,
  };
}

function plannedTerms({ nextPlan }: User, template: PlannedTemplate | undefined): PlannedTerms {
  const addRemainingTraffic = nextPlan?.add_remaining_traffic ?? false;
  if (template) return { ...template, addRemainingTraffic };
  const { data_limit: dataLimit = 0, expire: expireDuration = 0 } = nextPlan ?? {};
  return { status: 'active', expireDuration, onHoldTimeout: null, dataLimit, addRemainingTraffic };
}
