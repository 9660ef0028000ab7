import { spawn, spawnSync } from 'node:child_process';
import { root, StepError } from '../../quickstart/steps.mjs';

/** The programs that can build and run images, in order of preference. */
const TOOLS = ['docker', 'podman'];

/** The name of the program to build with: the wanted one, else the first that is installed. */
export function containerTool(wanted) {
  const candidates = wanted === undefined ? TOOLS : [wanted];
  const found = candidates.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
  if (found === undefined) throw new StepError(`Install ${candidates.join(' or ')}: images are built with it.`);
  return found;
}

/** The arguments that build one target of deploy/Dockerfile. `more` is passed on unchanged. */
export function buildArguments(tool, target, tag, more = []) {
  // Images in Docker's format: OCI has no HEALTHCHECK, and podman would leave it out.
  const format = tool === 'podman' ? ['--format', 'docker'] : [];
  return ['build', ...format, '--file', 'deploy/Dockerfile', '--target', target, '--tag', tag, ...more, '.'];
}

/** Runs the program in the repository, with its output on this terminal. */
export function runTool(tool, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new StepError(`${tool} ${args[0]} ended with ${signal ?? `code ${code}`}.`)),
    );
  });
}

/** The uncompressed size of an image in bytes. */
export function imageSize(tool, image) {
  const { status, stdout, stderr } = spawnSync(tool, ['image', 'inspect', '--format', '{{.Size}}', image], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new StepError(`${tool} cannot inspect ${image}: ${stderr.trim()}`);
  return Number(stdout);
}
