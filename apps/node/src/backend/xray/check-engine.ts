import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Check, ok, warning, wrong } from '@rampart/program';
import type { EngineSettings } from '../../env/node.settings.js';
import { NodeError } from '../../errors/node-error.js';
import { PINNED_VERSION } from './executable/engine-version.js';
import { type LocatedEngine, locateEngine } from './executable/locate-engine.js';
import { checkRunnable } from './rights/check-runnable.js';
import { EngineRights } from './rights/engine-rights.js';

const ENGINE = 'engine';
const RIGHTS = 'rights';

/** Checks which engine the node finds, and the rights that it can give to it. */
export async function checkEngine(settings: EngineSettings): Promise<Check[]> {
  const rights = await EngineRights.detect(settings.searchPath, settings.account, settings.files);
  return [...(await checkExecutable(settings, rights)), ...checkRights(rights)];
}

async function checkExecutable(settings: EngineSettings, rights: EngineRights): Promise<Check[]> {
  try {
    const engine = await locateEngine(settings);
    await checkRunnable(engine.path, rights, []);
    return [await checkFile(engine)];
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return [wrong(ENGINE, error.message, 'Install the engine, or name it in XRAY_EXECUTABLE_PATH.')];
  }
}

/** An image or installer may leave the sum of the engine beside it, in the form of `sha256sum`. */
async function checkFile({ path, version }: LocatedEngine): Promise<Check> {
  const sum = await sha256(path);
  const seen = `${version} in ${path}, SHA-256 ${sum}`;
  const expected = (await readFile(`${path}.sha256`, 'utf8').catch(() => '')).trim().split(/\s+/)[0];
  if (expected !== '' && expected !== sum)
    return wrong(
      ENGINE,
      `${seen}, but ${path}.sha256 says ${expected}`,
      'Install the engine again: this is not the file that was installed.',
    );
  if (version !== PINNED_VERSION)
    return warning(
      ENGINE,
      `${seen}; the node is tested with ${PINNED_VERSION}`,
      'Use the tested version unless you need another.',
    );
  return ok(ENGINE, seen);
}

function checkRights(rights: EngineRights): Check[] {
  const { warnings } = rights;
  if (warnings.length > 0)
    return warnings.map((line) =>
      warning(RIGHTS, line, 'Start the node as docs/operators.md shows, in its image or by its systemd unit.'),
    );
  const granted = rights.granted(['net_bind_service', 'net_admin']);
  const seen = `the engine runs under ${rights.name}, and can be given ${granted.join(' and ') || 'no capability'}`;
  if (!granted.includes('net_bind_service'))
    return [
      warning(RIGHTS, seen, 'Give the node the capability NET_BIND_SERVICE, or use no inbound ports below 1024.'),
    ];
  return [ok(RIGHTS, seen)];
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
