export { cacheFolder } from '@rampart/engine';
export { type Answer, Api } from './api.js';
export { BREAKS, BreakableDisk, canMakeImmutable, canMount } from './breakable-disk.js';
export { type IssuedCertificate, TestAuthority } from './certificates.js';
export { chromiumPath } from './chromium-path.js';
export { ClusterTemplate } from './cluster-template.js';
export { copyDatabase } from './copy-database.js';
export {
  ALLOW_PRIVATE,
  type EngineClient,
  fetchThrough,
  listens,
  REACH_LOOPBACK,
  runEngine,
  startEngineClient,
  startEngineClientWith,
  startEngineServer,
} from './engine-client.js';
export type { EditableJson, EditableObject } from './engine-configs/editable-json.js';
export { OFFERED_CONFIGS } from './engine-configs/offered-configs.js';
export { REALISTIC_CONFIGS, SECRETS } from './engine-configs/realistic-configs.js';
export { REFUSED_ACCESS, REFUSED_CONFIGS, type RefusedConfig } from './engine-configs/refused-configs.js';
export { enginePath, engineVersion, programPath, programVersion } from './engine-path.js';
export { eventually, until } from './eventually.js';
export { freePort } from './free-port.js';
export { type LocalWeb, startLocalWeb } from './local-web.js';
export { moveBack } from './move-back.js';
export { type ParsedLink, parseLink } from './parse-link.js';
export { programFile } from './program-file.js';
export { ProgramProcess } from './program-process.js';
export { runReadmeExamples } from './readme-examples.js';
export { lastingScratchFolder, scratchFolder } from './scratch.js';
export { settingNames } from './setting-names.js';
export { readShellExamples, type ShellExample, ShellSession } from './shell-examples.js';
export { showOutputOnFailure } from './shown-output.js';
export { type SilentServer, startSilentServer } from './silent-server.js';
export { type TestWorker, testWorker } from './worker.js';
