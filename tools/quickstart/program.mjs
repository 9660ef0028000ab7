// `npm run management` and `npm run node`: install, build and run one program, with the settings in the environment.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { main, root, StepError } from './steps.mjs';

const APPS = ['management', 'node'];

await main(async () => {
  const [app, ...args] = process.argv.slice(2);
  if (!APPS.includes(app)) throw new StepError(`Name one program: ${APPS.join(' or ')}.`);
  const folder = `apps/${app}`;
  const tools = app === 'node' ? ['tools/engine'] : [];
  await prepare({
    packages: ['rampart', `@rampart/${app}`, ...(app === 'node' ? ['@rampart/engine'] : [])],
    folders: [folder, ...tools],
    bundles: [app],
  });
  const needsEngine = app === 'node' && !args.includes('--help');
  const env = needsEngine ? { XRAY_EXECUTABLE_PATH: await engine() } : {};
  process.exitCode = await serve(join(root, folder, 'dist/bundle/main.cjs'), args, env);
});

/** The path of the engine, which is installed if it is missing. */
async function engine() {
  const { installProgram } = await import('../engine/dist/index.js');
  return (await installProgram('xray')).path;
}

/** Runs the program until it ends, passes signals on to it, and returns its exit code. */
function serve(program, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, ...env },
      stdio: 'inherit',
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal === null ? code : 1));
  });
}
