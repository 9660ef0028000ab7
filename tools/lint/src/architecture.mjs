// The import directions of the house, as rules that fail the lint step. pnpm and the project references already keep
// packages apart; this keeps the packages pure and the features inside an app out of each other's rooms.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURES, SHARED_STATEMENTS } from './features.mjs';
import { fileCycles, folderCycles } from './graph.mjs';
import { generatedBelow, scriptsBelow, sourcesBelow, withImports } from './sources.mjs';
import { tableOwners, tablesNamedIn } from './tables.mjs';

/** Which of our packages each package may import. */
const ALLOWED_PACKAGES = {
  'libs/domain': [],
  'libs/program': [],
  'libs/probe': [],
  'libs/core-config': ['domain'],
  'libs/subscription': ['core-config', 'domain'],
  'libs/node-client': [],
  'apps/dashboard': [],
  'apps/node': ['core-config', 'domain', 'node-client', 'probe', 'program'],
  'apps/management': ['core-config', 'domain', 'node-client', 'probe', 'program', 'subscription'],
  'tools/bench': ['engine', 'node-client'],
  'tools/bundle': [],
  'tools/chaos': ['testing'],
  'tools/engine': ['program'],
  'tools/matrix': ['testing'],
  'tools/mutate': [],
  'tools/openapi': [],
  'tools/quickstart': ['engine', 'program'],
  'tools/testing': ['engine'],
  'tools/e2e': ['node-client', 'testing'],
  'tools/images': [],
};

const IMPURE_IMPORTS =
  /^(@nestjs\/|typeorm$|pg$|fastify$|node:(fs|child_process|os|process|worker_threads|timers)(\/|$)|(fs|child_process|os)$)/;

/** Clock, randomness and environment come into a library as arguments. */
const IMPURE_CODE = [
  [/\bprocess\.(env|argv|pid|hrtime)\b/, 'process.env and the like'],
  [/\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/, 'the clock'],
  [/\bMath\.random\(|\brandom(Bytes|UUID|Int)\(|\bgetRandomValues\(/, 'randomness'],
];

/** What stands at the edge of a program instead of in its middle: it reads files, runs processes and knows the time. */
const EDGES = ['libs/program', 'libs/probe'];

const isTest = (path) => /\.spec\.tsx?$/.test(path) || path.includes('/testing/');
const packageOf = (path) => path.split('/').slice(0, 2).join('/');
const isPure = (path) => path.startsWith('libs/') && !EDGES.includes(packageOf(path)) && !isTest(path);
/** The feature folder of a file in an app: the first folder below src. */
const featureOf = (path) => path.match(/^apps\/[^/]+\/src\/([^/]+)\//)?.[1];

const MANAGEMENT = 'apps/management/src/';
const managementFeature = (path) => (path.startsWith(MANAGEMENT) ? featureOf(path) : undefined);

const DASHBOARD = 'apps/dashboard/src/';
/** Which folders of the dashboard each one may import beside itself; a feature imports no other feature. */
const DASHBOARD_FOLDERS = { api: [], ui: ['api'], features: ['ui', 'api'], app: ['features', 'ui', 'api'] };
const dashboardFolder = (path) => {
  const [folder, feature] = path.slice(DASHBOARD.length).split('/');
  return { folder, feature: folder === 'features' ? feature : undefined };
};
const allowedFolders = (folder) => DASHBOARD_FOLDERS[folder]?.join(', ') || 'no other folder';

/** Each rule answers with what is wrong in one file. */
const RULES = [
  function packages({ path, imports }) {
    const known = ALLOWED_PACKAGES[packageOf(path)];
    if (known === undefined) return [`${packageOf(path)} is not in the table of packages: say what it may import`];
    const allowed = [...known, ...(isTest(path) ? ['testing'] : [])];
    return imports
      .map((name) => name.match(/^@rampart\/([^/]+)/)?.[1])
      .filter((name) => name !== undefined && !allowed.includes(name))
      .map(
        (name) => `imports @rampart/${name}; ${packageOf(path)} may import ${allowed.join(', ') || 'no other package'}`,
      );
  },

  function ownRoom({ path, targets }) {
    return targets
      .filter((target) => packageOf(target) !== packageOf(path))
      .map((target) => `reaches into ${packageOf(target)} by a relative path; import the package by its name`);
  },

  function pureImports({ path, imports }) {
    if (!isPure(path)) return [];
    return imports.filter((name) => IMPURE_IMPORTS.test(name)).map((name) => `a library may not import ${name}`);
  },

  function pureCode({ path, source }) {
    if (!isPure(path)) return [];
    return IMPURE_CODE.filter(([pattern]) => pattern.test(source)).map(
      ([, what]) => `a library may not use ${what}; take it as an argument`,
    );
  },

  function environment({ path, source }) {
    if (!path.startsWith('apps/') || isTest(path) || featureOf(path) === 'env') return [];
    return /\bprocess\.env\b/.test(source) ? ['reads process.env; only the files of env/ do'] : [];
  },

  function engineBehindPort({ path, targets }) {
    const inside = 'apps/node/src/backend/xray/';
    if (!path.startsWith('apps/node/') || path.startsWith(inside) || path.endsWith('.module.ts') || isTest(path))
      return [];
    return targets
      .filter((target) => target.startsWith(inside))
      .map(() => 'only backend/xray knows the engine; use the port in backend/backend.ts');
  },

  function featureDoors({ path, targets }) {
    if (!path.startsWith('apps/management/') || isTest(path) || path.endsWith('.module.ts')) return [];
    return targets
      .filter((target) => /\.controller\.ts$/.test(target) && featureOf(target) !== featureOf(path))
      .map((target) => `reaches into ${target}; call a service of that feature`);
  },

  function featureEdges({ path, targets }, { features }) {
    const from = managementFeature(path);
    if (from === undefined || isTest(path)) return [];
    const allowed = features[from];
    if (allowed === undefined)
      return [`${from} is not in the table of features (tools/lint/src/features.mjs): say what it may import`];
    return targets
      .map((target) => ({ target, to: managementFeature(target) }))
      .filter(({ to }) => to !== undefined && to !== from && !allowed.includes(to))
      .map(({ target }) => `imports ${target}; ${from} may import ${allowed.join(', ') || 'no other feature'}`);
  },

  function dashboardFolders({ path, targets }) {
    if (!path.startsWith(DASHBOARD) || isTest(path)) return [];
    const from = dashboardFolder(path);
    return targets
      .map((target) => ({ target, to: dashboardFolder(target) }))
      .filter(({ to }) => to.folder !== from.folder || to.feature !== from.feature)
      .filter(({ to }) => !DASHBOARD_FOLDERS[from.folder]?.includes(to.folder))
      .map(({ target }) => `imports ${target}; ${from.folder} may import ${allowedFolders(from.folder)}`);
  },

  function ownTables({ path, source }, { owners, sharedStatements }) {
    const feature = managementFeature(path);
    const free = isTest(path) || path.includes('/database/schema/') || path.includes('/database/migrations/');
    if (feature === undefined || free) return [];
    const shared = sharedStatements[path.slice(MANAGEMENT.length)] ?? [];
    return tablesNamedIn(source, owners)
      .filter((table) => owners.get(table) !== feature && !shared.includes(table))
      .map((table) => `names the table ${table} in SQL; ask a repository or service of ${owners.get(table)}/`);
  },

  function ownEntities({ path, valueTargets }) {
    const feature = managementFeature(path);
    // The folder app/ composes the list of all entities.
    if (feature === undefined || feature === 'app' || isTest(path) || /\.(entity|module)\.ts$/.test(path)) return [];
    return valueTargets
      .filter((target) => target.endsWith('.entity.ts') && managementFeature(target) !== feature)
      .map((target) => `works on rows of ${target}; ask a repository or service of ${managementFeature(target)}/`);
  },
];

/**
 * Checks the tree below root; answers with one line for each broken rule. `features` is the table of what each feature of
 * management may import, `sharedStatements` that of files whose SQL names tables of other features.
 *
 * @param {string} root
 * @param {{ features?: Record<string, string[]>, sharedStatements?: Record<string, string[]> }} [tables]
 */
export function checkArchitecture(root, { features = FEATURES, sharedStatements = SHARED_STATEMENTS } = {}) {
  const files = withImports(root, sourcesBelow(root));
  const generated = withImports(root, generatedBelow(root));
  const scripts = withImports(root, scriptsBelow(root));
  const tables = { features, sharedStatements, owners: tableOwners(files, featureOf) };
  return [
    ...files.flatMap((file) =>
      RULES.flatMap((rule) => rule(file, tables).map((problem) => `${file.path}: ${problem}`)),
    ),
    ...fileCycles([...files, ...scripts]),
    ...folderCycles(files),
    ...staleEntries(files, tables),
    ...unusedEdges([...files, ...generated], features),
    ...unlistedStatements(root, sharedStatements),
  ];
}

/** Entries of the table of shared statements that no file needs any more. */
function staleEntries(files, { sharedStatements, owners }) {
  return Object.entries(sharedStatements).flatMap(([name, tables]) => {
    const source = files.find(({ path }) => path === MANAGEMENT + name)?.source ?? '';
    const named = tablesNamedIn(source, owners);
    return tables
      .filter((table) => !named.includes(table))
      .map((table) => `tools/lint/src/features.mjs: ${name} no longer names the table ${table}; remove the entry`);
  });
}

/** Edges of the table of features that no import of their feature uses, generated code included. */
function unusedEdges(sources, features) {
  const own = sources.filter(({ path }) => managementFeature(path) !== undefined && !isTest(path));
  const present = new Set(own.map(({ path }) => managementFeature(path)));
  const used = new Set(
    own.flatMap(({ path, targets }) =>
      targets.map((target) => `${managementFeature(path)} ${managementFeature(target)}`),
    ),
  );
  return Object.entries(features)
    .filter(([from]) => present.has(from))
    .flatMap(([from, allowed]) => allowed.filter((to) => !used.has(`${from} ${to}`)).map((to) => [from, to]))
    .map(([from, to]) => `tools/lint/src/features.mjs: no file of ${from} imports ${to}; remove it from the row`);
}

/** Files of the table of shared statements that docs/architecture.md does not name. */
function unlistedStatements(root, sharedStatements) {
  const page =
    Object.keys(sharedStatements).length === 0 ? '' : readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  return Object.keys(sharedStatements)
    .filter((name) => !page.includes(name))
    .map((name) => `docs/architecture.md: does not list ${name}, whose statements touch tables of two features`);
}
