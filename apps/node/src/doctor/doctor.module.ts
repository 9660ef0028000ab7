import { type Check, checkDisk, checkSettings } from '@rampart/program';
import { checkEngine } from '../backend/xray/check-engine.js';
import { describeNodeEnv, readNodeEnv } from '../env/node-env.js';
import { checkNodeCertificate } from './check-certificate.js';
import { checkSystemClock } from './check-clock.js';
import { checkNodePort } from './check-port.js';

/** Every check of the node, in the order in which they depend on each other. Nothing is changed. */
export async function examineNode(): Promise<Check[]> {
  const settings = checkSettings(describeNodeEnv());
  // The other checks need settings that are right.
  if (settings.some(({ state }) => state === 'wrong')) return settings;
  const env = readNodeEnv();
  const certificate = await checkNodeCertificate(env);
  return [
    ...settings,
    await checkDisk('data folder', env.dataDir, 'RAMPART_NODE_DATA_DIR'),
    ...(await checkEngine(env.settings.engine)),
    ...certificate,
    await checkSystemClock(),
    ...(await checkNodePort(env)),
  ];
}
