export { type EngineClient, fetchThrough, startEngineClient, startEngineClientWith } from './engine-client.js';
export { enginePath, programPath, programVersion } from './engine-path.js';
export { eventually } from './eventually.js';
export { freePort } from './free-port.js';
export { type LocalWeb, startLocalWeb } from './local-web.js';
export { type ParsedLink, parseLink } from './parse-link.js';
