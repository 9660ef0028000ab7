import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { EngineSettings } from '../../../env/node.settings.js';
import { NodeError } from '../../../errors/node-error.js';
import { engineVersion, PINNED_VERSION } from './engine-version.js';

export interface LocatedEngine {
  readonly path: string;
  readonly version: string;
}

const INSTALL_HINT = 'To install it: node tools/engine/dist/main.js xray';

/** Finds the engine to run. START_FAILED lists every place that was searched. */
export async function locateEngine({ executablePath, searchPath, cacheDir }: EngineSettings): Promise<LocatedEngine> {
  if (executablePath !== undefined) {
    const version = await engineVersion(executablePath);
    if (version !== undefined) return { path: executablePath, version };
    throw engineMissingError([`XRAY_EXECUTABLE_PATH is ${executablePath}, which does not run as Xray`]);
  }
  const looked = ['XRAY_EXECUTABLE_PATH is not set'];
  const inPath = await findInPath('xray', searchPath);
  const pathVersion = inPath && (await engineVersion(inPath));
  if (inPath && pathVersion === PINNED_VERSION) return { path: inPath, version: pathVersion };
  looked.push(
    inPath === undefined
      ? `no directory of PATH has xray (${searchPath})`
      : `${inPath} in PATH is ${pathVersion ?? 'not Xray'} instead of ${PINNED_VERSION}; name it in XRAY_EXECUTABLE_PATH to use it all the same`,
  );
  const cached = join(cacheDir, 'engine', `xray-${PINNED_VERSION}`, 'xray');
  const version = await engineVersion(cached);
  if (version !== undefined) return { path: cached, version };
  throw engineMissingError([...looked, `${cached} does not exist or does not run`]);
}

/** The first executable file of that name in the search path, as a shell would find it. */
export async function findInPath(name: string, searchPath: string): Promise<string | undefined> {
  for (const directory of searchPath.split(delimiter).filter((entry) => entry !== '')) {
    const path = join(directory, name);
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return path;
  }
  return undefined;
}

function engineMissingError(looked: readonly string[]): NodeError {
  return new NodeError('START_FAILED', `there is no engine to run: ${looked.join('; ')}. ${INSTALL_HINT}`);
}
