// `npm run images`: builds the images of both programs with docker or podman, and prints their sizes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { main, root, StepError } from '../quickstart/steps.mjs';
import { buildArguments, containerTool, imageSize, runTool } from './src/container-tool.mjs';
import { megabytes } from './src/folder-size.mjs';

/** Bytes that an image may have beyond those of its base. */
const LIMITS = { management: 250e6, node: 220e6 };
/** The base of deploy/Dockerfile, or that of an argument of the build. */
const BASE = /^ARG BASE=(\S+)$/m;
const OTHER_BASE = /^(?:--build-arg=)?BASE=(\S+)$/;

const { version } = JSON.parse(readFileSync(join(root, 'apps/management/package.json'), 'utf8'));

const HELP = `npm run images: builds the images of management and node from this clone, and prints their sizes.

  --tool docker|podman   the program to build with (the one that is installed, docker first)
  --prefix NAME          prefix of the images' names (ghcr.io/rampart-proxy)
  --version TAG          their tag (${version})
  --help                 print this text

Arguments behind "--" go to the program's build, such as "-- --platform linux/arm64" or "-- --build-context engine=FOLDER".
compose.yaml uses the same names: RAMPART_IMAGES is the prefix, RAMPART_VERSION the tag.`;

await main(async () => {
  const { values, more } = readArguments(process.argv.slice(2));
  if (values.help) return console.log(HELP);
  const tool = containerTool(values.tool);
  const other = more.map((argument) => OTHER_BASE.exec(argument)?.[1]).find((found) => found !== undefined);
  const base = other ?? BASE.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))[1];
  const tooLarge = [];
  const lines = [];
  for (const [target, limit] of Object.entries(LIMITS)) {
    const tag = `${values.prefix}/${target}:${values.version}`;
    await runTool(tool, buildArguments(tool, target, tag, more));
    const own = imageSize(tool, tag) - imageSize(tool, base);
    lines.push(`${tag}: ${megabytes(own)} above its base ${base} (limit ${megabytes(limit)})`);
    if (own > limit) tooLarge.push(tag);
  }
  console.log(lines.join('\n'));
  if (tooLarge.length > 0) throw new StepError(`Too large: ${tooLarge.join(', ')}.`);
});

function readArguments(args) {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  try {
    const { values } = parseArgs({
      args: args.slice(0, end),
      options: {
        tool: { type: 'string' },
        prefix: { type: 'string', default: 'ghcr.io/rampart-proxy' },
        version: { type: 'string', default: version },
        help: { type: 'boolean', default: false },
      },
    });
    return { values, more: args.slice(end + 1) };
  } catch (error) {
    throw new StepError(`${error.message}\n\n${HELP}`);
  }
}
