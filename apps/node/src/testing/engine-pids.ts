import { readdir, readFile } from 'node:fs/promises';

/** Process ids of the engines that run for a data directory, by the mark in their environment. */
export async function enginePids(dataDir: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (new RegExp(`RAMPART_ENGINE_OWNER=\\d+:\\d*:${dataDir}(\0|$)`).test(environment)) found.push(Number(name));
  }
  return found;
}
