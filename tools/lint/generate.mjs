// Generates TypeScript from proto/, from the controllers of management and from its API; with --check it only compares, and fails
// when the committed code is stale.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeShapes } from '../openapi/src/write-shapes.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const targets = [
  { to: 'libs/node-client/src/gen', write: fromProto('proto', ['service.proto']) },
  { to: 'apps/node/src/backend/xray/gen', write: fromProto('proto/xray', protoFiles('proto/xray')) },
  { to: 'apps/management/src/openapi/gen', write: fromControllers('apps/management/src') },
  { to: 'apps/dashboard/src/api/gen', write: fromApi },
];

const options = [
  'outputServices=grpc-js',
  'env=node',
  'esModuleInterop=true',
  'importSuffix=.js',
  'forceLong=bigint',
  'oneof=unions-value',
  'useExactTypes=false',
  'outputPartialMethods=true',
  'outputJsonMethods=false',
  'unrecognizedEnum=false',
  'snakeToCamel=true',
];

function protoFiles(folder) {
  const base = join(root, folder);
  return readdirSync(base, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.proto'))
    .sort();
}

function fromProto(from, files) {
  return (folder) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/protoc/protoc.cjs'),
        `--plugin=protoc-gen-ts_proto=${join(root, 'node_modules/.bin/protoc-gen-ts_proto')}`,
        `--ts_proto_out=${folder}`,
        `--ts_proto_opt=${options.join(',')}`,
        '-I',
        join(root, from),
        ...files,
      ],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`protoc failed on ${from}\n${stdout}${stderr}`);
  };
}

function fromControllers(app) {
  return (folder, home) => writeShapes(join(root, app), home, folder);
}

/** The document of the API needs the build of management, with the shapes that were generated before it. */
function fromApi(folder) {
  for (const args of [
    ['node_modules/typescript/bin/tsc', '-b', 'apps/management'],
    ['tools/openapi/src/write-client.mjs', folder],
  ]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    if (status !== 0)
      throw new Error(`${args[0]} failed
${stdout}${stderr}`);
  }
}

/** Generates into a folder of its own, so that a failure leaves what was there. */
function withFresh({ to, write }, use) {
  const fresh = mkdtempSync(join(tmpdir(), 'rampart-gen-'));
  try {
    write(fresh, join(root, to));
    return use(fresh, join(root, to));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function replace(fresh, home) {
  rmSync(home, { recursive: true, force: true });
  cpSync(fresh, home, { recursive: true });
}

/** Path -> content of every file below a folder. */
function read(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath ?? file.path, file.name);
      return [relative(folder, path), readFileSync(path, 'utf8')];
    }),
  );
}

function changed(fresh, home) {
  const [now, then] = [read(fresh), read(home)];
  return [...new Set([...now.keys(), ...then.keys()])].filter((file) => now.get(file) !== then.get(file));
}

if (process.argv.includes('--check')) {
  const files = targets.flatMap((target) => withFresh(target, changed).map((file) => join(target.to, file)));
  if (files.length > 0) {
    console.error(
      `Generated code is stale: run "npm run gen" and commit.\n${files.map((file) => `  ${file}`).join('\n')}`,
    );
    process.exit(1);
  }
  console.log('Generated code is up to date.');
} else {
  for (const target of targets) withFresh(target, replace);
}
