export {
  ALLOW_PRIVATE,
  type EngineClient,
  fetchThrough,
  startEngineClient,
  startEngineClientWith,
} from './engine-client.js';
export type { EditableJson, EditableObject } from './engine-configs/editable-json.js';
export { OFFERED_CONFIGS } from './engine-configs/offered-configs.js';
export { REALISTIC_CONFIGS, SECRETS } from './engine-configs/realistic-configs.js';
export { REFUSED_ACCESS, REFUSED_CONFIGS, type RefusedConfig } from './engine-configs/refused-configs.js';
export { enginePath, engineVersion, programPath, programVersion } from './engine-path.js';
export { eventually, until } from './eventually.js';
export { freePort } from './free-port.js';
export { type LocalWeb, startLocalWeb } from './local-web.js';
export { type ParsedLink, parseLink } from './parse-link.js';
export { runReadmeExamples } from './readme-examples.js';
