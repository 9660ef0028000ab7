export { formatByteSize } from './byte-size.js';
export { isoDate, jalaliDate } from './calendar.js';
export { type CredentialKeys, canonicalUuid, credentialKeys, vlessIdentity } from './credential-keys.js';
export {
  DATA_LIMIT_RESET_STRATEGIES,
  type DataLimitResetStrategy,
  nextReset,
  RESET_PERIOD_SECONDS,
} from './data-limit-reset.js';
export {
  type Format,
  FormatError,
  type FormatValues,
  type FormatVariable,
  formatPattern,
  isPlainText,
  PATH_VARIABLES,
  parseFormat,
  renderFormat,
} from './format.js';
export { type FormatUser, formatValues, type ServerAddresses } from './format-values.js';
export { groupNameProblem, groupNameSchema } from './group-name.js';
export { MAX_INT32 } from './max-int32.js';
export { type PlannedTerms, withNextPlan } from './next-plan.js';
export { nodeEmail, userIdOfNodeEmail } from './node-email.js';
export { newProxySettings, type ProxySettings, VLESS_FLOWS, type VlessFlow } from './proxy-settings.js';
export {
  DEFAULT_SHADOWSOCKS_METHOD,
  isShadowsocks2022,
  SHADOWSOCKS_METHODS,
  type ShadowsocksMethod,
  shadowsocks2022Key,
} from './shadowsocks.js';
export { numberedUsernames, randomUsernames, templateUsername, type UsernameAffixes } from './template-username.js';
export {
  CHOSEN_STATUSES,
  type ChosenStatus,
  type HoldTerms,
  holdProblem,
  settleUserState,
  type UserState,
  withChosenStatus,
} from './user-state.js';
export { USER_STATUSES, type UserStatus } from './user-status.js';
export {
  type ExtraSettings,
  mergeExtraSettings,
  TEMPLATE_FLOWS,
  TEMPLATE_STATUSES,
  type TemplateFlow,
  type TemplateStatus,
  type TemplateTerms,
  templateProblem,
  termsFromTemplate,
  type UserTerms,
  withExtraSettings,
} from './user-template.js';
export { USERNAME_SCHEMA, usernameProblem } from './username.js';
export { type VisionInbound, visionWorks } from './vless-vision.js';
