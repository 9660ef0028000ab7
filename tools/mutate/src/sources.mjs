import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const isSpec = (name) => name.endsWith('.spec.ts');
/** Helpers of tests and generated code lie in folders of these names. */
const isOfNoProduct = (name) => /(?:^|\/)(?:dist|gen|node_modules|testing)\//.test(name);

function filesBelow(path, isWanted) {
  const [folder, names] = statSync(path).isDirectory()
    ? [path, readdirSync(path, { recursive: true })]
    : [dirname(path), [basename(path)]];
  return names.filter((name) => name.endsWith('.ts') && isWanted(name)).map((name) => join(folder, name));
}

/** The product sources at a path: neither tests nor their helpers, nor generated code. */
export const sourcesOf = (path) => filesBelow(path, (name) => !isSpec(name) && !isOfNoProduct(name));

/** The unit tests at a path. */
export const specsOf = (path) => filesBelow(path, (name) => isSpec(name) && !name.endsWith('.integration.spec.ts'));
