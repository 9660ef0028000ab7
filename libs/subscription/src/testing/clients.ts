import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, programPath } from '@rampart/testing';

export type SingBoxName = 'sing-box' | 'sing-box-1.11';

/** A client that runs: an HTTP proxy on a port, whose users `u0`, `u1` … stand for the proxies in their order. */
export interface RunningClient {
  readonly port: number;
  close(): Promise<void>;
}

/** What the client's own checker says of a whole document: nothing, or its complaint. */
export async function singBoxComplaint(name: SingBoxName, document: string): Promise<string> {
  return inFolder('config.json', document, async (folder) =>
    complaint(programPath(name), ['check', '-D', folder, '-c', join(folder, 'config.json')]),
  );
}

export async function mihomoComplaint(document: string): Promise<string> {
  return inFolder('config.yaml', document, async (folder) =>
    complaint(programPath('mihomo'), ['-t', '-d', folder, '-f', join(folder, 'config.yaml')]),
  );
}

/** Runs the outbounds of a profile. */
export async function startSingBox(
  name: SingBoxName,
  document: string,
  tags: readonly string[],
  port: number,
  certificateFile: string,
): Promise<RunningClient> {
  const { outbounds } = JSON.parse(document);
  const config = {
    log: { level: 'warn' },
    inbounds: [{ type: 'http', tag: 'http', listen: '127.0.0.1', listen_port: port, users: tags.map(account) }],
    outbounds,
    route: { rules: tags.map((tag, at) => ({ auth_user: [`u${at}`], outbound: tag })) },
  };
  return start('config.json', JSON.stringify(config), port, certificateFile, (folder) => ({
    program: programPath(name),
    args: ['run', '-D', folder, '-c', join(folder, 'config.json')],
  }));
}

/** Runs the proxies of a profile. */
export async function startMihomo(
  document: string,
  names: readonly string[],
  port: number,
  certificateFile: string,
): Promise<RunningClient> {
  const proxies = document.slice(document.indexOf('proxies:'), document.indexOf('proxy-groups:'));
  const accounts = names.map((_, at) => `u${at}:password`);
  // In a rule the name stands between commas.
  const groups = names.map((name, at) => ({ name: `g${at}`, type: 'select', proxies: [name] }));
  const rules = [...names.map((_, at) => `IN-USER,u${at},g${at}`), 'MATCH,REJECT'];
  const config = `mixed-port: ${port}
mode: rule
log-level: warning
authentication: ${JSON.stringify(accounts)}
${proxies}proxy-groups: ${JSON.stringify(groups)}
rules: ${JSON.stringify(rules)}
`;
  return start('config.yaml', config, port, certificateFile, (folder) => ({
    program: programPath('mihomo'),
    args: ['-d', folder, '-f', join(folder, 'config.yaml')],
  }));
}

const account = (_: string, at: number) => ({ username: `u${at}`, password: 'password' });

async function start(
  file: string,
  config: string,
  port: number,
  certificateFile: string,
  command: (folder: string) => { program: string; args: string[] },
): Promise<RunningClient> {
  const folder = await mkdtemp(join(tmpdir(), 'rampart-client-'));
  await writeFile(join(folder, file), config);
  const { program, args } = command(folder);
  const client = spawn(program, args, { env: { ...process.env, SSL_CERT_FILE: certificateFile } });
  let output = '';
  for (const stream of [client.stdout, client.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-4000);
    });
  }
  const close = async () => {
    if (client.exitCode === null) {
      const ended = once(client, 'exit');
      client.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(`the client listens on ${port}`, () => {
      if (client.exitCode !== null) throw new Error(`the client ended: ${output}`);
      return listens(port);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function inFolder<T>(file: string, text: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rampart-check-'));
  try {
    await writeFile(join(folder, file), text);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function complaint(program: string, args: string[]): Promise<string> {
  const checker = spawn(program, args);
  let output = '';
  for (const stream of [checker.stdout, checker.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  const [code] = await once(checker, 'close');
  return code === 0 ? '' : output || `exit code ${code}`;
}
