export { byteSize } from './byte-size.js';
export { DATA_LIMIT_RESET_STRATEGIES, type DataLimitResetStrategy } from './data-limit-reset.js';
export {
  FORMAT_VARIABLES,
  type Format,
  FormatError,
  type FormatPart,
  type FormatValues,
  type FormatVariable,
  PATH_VARIABLES,
  parseFormat,
  renderFormat,
} from './format.js';
export { type FormatUser, formatValues, type ServerAddresses } from './format-values.js';
export { GROUP_NAME_MAX_LENGTH, GROUP_NAME_MIN_LENGTH, groupNameProblem } from './group-name.js';
export { nodeEmail, userIdOfNodeEmail } from './node-email.js';
export { newProxySettings, type ProxySettings, VLESS_FLOWS, type VlessFlow } from './proxy-settings.js';
export {
  DEFAULT_SHADOWSOCKS_METHOD,
  isShadowsocks2022,
  SHADOWSOCKS_METHODS,
  type ShadowsocksMethod,
  shadowsocks2022Key,
} from './shadowsocks.js';
export { isServed, statusSymbol, USER_STATUSES, type UserStatus } from './user-status.js';
export { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH, usernameProblem } from './username.js';
export { type VisionInbound, visionWorks } from './vless-vision.js';
