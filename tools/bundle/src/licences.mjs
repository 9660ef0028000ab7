import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../quickstart/steps.mjs';

const PACKAGE = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;

/** The folders of the packages that a bundle contains, sorted by name. */
export function packagesOf(inputs) {
  const folders = new Map();
  for (const file of Object.keys(inputs)) {
    const [, folder, name] = PACKAGE.exec(file) ?? [];
    if (folder !== undefined) folders.set(folder, name);
  }
  return [...folders].sort(([, one], [, other]) => one.localeCompare(other, 'en')).map(([folder]) => folder);
}

/** The licences of all packages that a bundle contains, which their terms want to accompany it. */
export async function licences(inputs) {
  const texts = packagesOf(inputs).map(async (folder) => {
    const path = join(root, folder);
    const { name, version, license, author } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
    const files = (await readdir(path)).filter((file) => LICENCE.test(file)).sort();
    const notices = await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')));
    const text =
      notices.length > 0
        ? notices.map((notice) => notice.trim()).join('\n\n')
        : `The package has no file with its licence. Author: ${author?.name ?? author ?? 'not named'}`;
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(100)}\n\n`);
}
