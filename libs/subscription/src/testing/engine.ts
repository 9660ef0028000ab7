import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { enginePath } from '@rampart/testing';

/** What a command of the engine prints. */
export async function engineOutput(...args: string[]): Promise<string> {
  const { code, output } = await finished(spawn(enginePath(), args));
  if (code !== 0) throw new Error(output);
  return output;
}

/** What the engine says to a configuration: `accepted`, or its complaint. */
export async function engineVerdict(config: object): Promise<string> {
  const engine = spawn(enginePath(), ['run', '-test', '-c', 'stdin:']);
  engine.stdin.end(JSON.stringify(config));
  const { code, output } = await finished(engine);
  return code === 0 && output.includes('Configuration OK.') ? 'accepted' : output;
}

/** Runs the engine until the returned function is called; resolves when all its inbounds listen. */
export async function startEngine(
  config: object,
  environment: Readonly<Record<string, string>> = {},
): Promise<() => Promise<void>> {
  const engine = spawn(enginePath(), ['run', '-c', 'stdin:'], { env: { ...process.env, ...environment } });
  engine.stdin.end(JSON.stringify({ ...config, log: { loglevel: 'warning' } }));
  const ended = once(engine, 'exit');
  let output = '';
  const started = new Promise<void>((resolve) => {
    engine.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (/Xray [\d.]+ started/.test(output)) resolve();
    });
  });
  const died = ended.then(() => Promise.reject(new Error(`the engine did not start: ${output}`)));
  await Promise.race([started, died]);
  died.catch(() => undefined);
  return async () => {
    engine.kill('SIGKILL');
    await ended;
  };
}

async function finished(engine: ChildProcessWithoutNullStreams): Promise<{ code: number | null; output: string }> {
  const ended = once(engine, 'close');
  const [out, err] = await Promise.all([text(engine.stdout), text(engine.stderr)]);
  await ended;
  return { code: engine.exitCode, output: out + err };
}
