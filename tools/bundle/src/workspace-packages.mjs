import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../quickstart/steps.mjs';

/** The folders of a package and of all libraries of this repository that it depends on; the dashboard is only files. */
export function workspacePackages(folder, repository = root) {
  const found = new Set();
  const visit = (one) => {
    if (found.has(one)) return;
    found.add(one);
    const { dependencies = {} } = JSON.parse(readFileSync(join(repository, one, 'package.json'), 'utf8'));
    for (const [name, range] of Object.entries(dependencies))
      if (range.startsWith('workspace:') && name !== '@rampart/dashboard')
        visit(`libs/${name.slice('@rampart/'.length)}`);
  };
  visit(folder);
  return [...found];
}
