export { type EngineClient, fetchThrough, startEngineClient, startEngineClientWith } from './engine-client.js';
export { enginePath, engineVersion, programPath, programVersion } from './engine-path.js';
export { eventually, until } from './eventually.js';
export { freePort } from './free-port.js';
export { ALLOW_PRIVATE } from './freedom.js';
export { type LocalWeb, startLocalWeb } from './local-web.js';
export { type ParsedLink, parseLink } from './parse-link.js';
