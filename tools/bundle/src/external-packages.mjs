import { cpSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { root } from '../../quickstart/steps.mjs';
import { PROGRAMS } from './programs.mjs';

/** Files of packages that no program reads when it runs: types, sources, source maps and notes, but not licences. */
export const DEAD_WEIGHT = /^(?!licen[cs]e|copying|notice).*\.(?:map|[cm]?ts|tsbuildinfo|md|markdown|flow)$/i;

/** Copies the packages that stay outside of a program's bundle into a `node_modules` folder, with their builds for this platform. */
export function copyExternalPackages(app, modules) {
  for (const [name, files] of Object.entries(PROGRAMS[app].external)) {
    const folder = packageFolder(name, join(root, 'apps', app));
    copyPackage(folder, join(modules, name), files);
    const { optionalDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const build of Object.keys(optionalDependencies)) {
      const found = packageFolder(build, folder);
      if (found !== undefined) copyPackage(found, join(modules, build));
    }
  }
}

/** The folder of an installed package, as seen from another; undefined where it is not installed. */
function packageFolder(name, from) {
  for (const modules of createRequire(join(from, 'package.json')).resolve.paths(name)) {
    try {
      return realpathSync(join(modules, name));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

function copyPackage(folder, target, files) {
  const isWanted = (path) => {
    const place = relative(folder, path);
    const name = place.split(sep).at(-1);
    if (place === '') return true;
    return name !== 'node_modules' && !DEAD_WEIGHT.test(name) && (files === undefined || files.test(place));
  };
  cpSync(folder, target, { recursive: true, verbatimSymlinks: true, filter: isWanted });
}
