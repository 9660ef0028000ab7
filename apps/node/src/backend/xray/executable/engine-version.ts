import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The engine version that this node is built and tested for. Other versions work if they answer the same API calls. */
export const PINNED_VERSION = '26.3.27';

const TIMEOUT_MS = 10_000;
const run = promisify(execFile);
const known = new Map<string, string>();

/** The version that an executable reports, asked once per file; undefined when it is not the engine or does not run. */
export async function engineVersion(path: string): Promise<string | undefined> {
  const file = await stat(path, { bigint: true }).catch(() => undefined);
  if (file === undefined || !file.isFile()) return undefined;
  const key = `${path}\0${file.ino}\0${file.mtimeNs}`;
  const version = known.get(key) ?? (await askVersion(path));
  if (version !== undefined) known.set(key, version);
  return version;
}

async function askVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ['version'], { timeout: TIMEOUT_MS, env: {} });
    return /^Xray (\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
