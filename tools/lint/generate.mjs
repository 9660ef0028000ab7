// Generates TypeScript from proto/; with --check it only compares, and fails when the committed code is stale.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const targets = [
  { from: 'proto', files: ['service.proto'], to: 'libs/node-client/src/gen' },
  { from: 'proto/xray', files: protoFiles('proto/xray'), to: 'apps/node/src/backend/xray/gen' },
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

function generate({ from, files, to }, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (files.length === 0) return;
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
  if (status !== 0) {
    console.error(`${to}: protoc failed\n${stdout}${stderr}`);
    process.exit(1);
  }
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

function stale(target) {
  const fresh = mkdtempSync(join(tmpdir(), 'rampart-gen-'));
  try {
    generate(target, fresh);
    const [now, then] = [read(fresh), read(join(root, target.to))];
    return [...new Set([...now.keys(), ...then.keys()])].filter((file) => now.get(file) !== then.get(file));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (process.argv.includes('--check')) {
  const files = targets.flatMap((target) => stale(target).map((file) => join(target.to, file)));
  if (files.length > 0) {
    console.error(
      `Generated code is stale: run "npm run gen" and commit.\n${files.map((file) => `  ${file}`).join('\n')}`,
    );
    process.exit(1);
  }
  console.log('Generated code is up to date.');
} else {
  for (const target of targets) generate(target, join(root, target.to));
}
