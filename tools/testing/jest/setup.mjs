import { dirname, join } from 'node:path';
import { bundleDependencies } from './dependencies.mjs';

/** Runs once before all tests: jest calls it for one project of all those that name this file. */
export default async function setup(_config, { rootDir }) {
  const apps = dirname(rootDir);
  for (const app of ['management', 'node']) await bundleDependencies(join(apps, app));
}
