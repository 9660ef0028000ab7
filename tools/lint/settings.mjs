// Writes docs/settings.md from what the built programs say to --help; with --check it only compares.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const file = 'docs/settings.md';

const programs = [
  ['Quick start', 'tools/quickstart/start.mjs'],
  ['Management', 'apps/management/dist/main.js'],
  ['Node', 'apps/node/dist/main.js'],
];

function helpOf(script) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), '--help'], { encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  console.error(`${script} --help failed: run "npm run build" first.\n${stderr}`);
  process.exit(1);
}

const chapters = programs.map(([name, script]) => `## ${name}\n\n\`\`\`text\n${helpOf(script)}\n\`\`\`\n`);
const text = ['# Settings\n\nWhat each program says to `--help`; written by `npm run docs`.\n', ...chapters].join('\n');

if (!process.argv.includes('--check')) writeFileSync(join(root, file), text);
else if (existsSync(join(root, file)) && readFileSync(join(root, file), 'utf8') === text)
  console.log(`${file} is up to date.`);
else {
  console.error(`${file} is stale: run "npm run docs" and commit.`);
  process.exit(1);
}
