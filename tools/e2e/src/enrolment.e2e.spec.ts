import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Api, copyDatabase, enginePath, eventually, freePort, ProgramProcess, scratchFolder } from '@rampart/testing';
import {
  createCore,
  type Enrolled,
  enrolNode,
  type NodeView,
  nodeSettings,
  startEnrolledNode,
} from './testing/enrolled-node.js';
import { doctor, rampart } from './testing/rampart-command.js';

jest.setTimeout(120_000);

const ROOT = { username: 'root', password: 'a password for enrolments' };
const KEYS = Object.fromEntries(
  ['RAMPART_JWT_KEY', 'RAMPART_SUBSCRIPTION_KEY', 'RAMPART_AT_REST_KEY'].map((name) => [
    name,
    randomBytes(32).toString('base64'),
  ]),
);
const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const DATABASE = join(REPOSITORY, 'apps/management/dist/database/embedded/embedded-postgres.js');
const HEALTH_CHECK = join(REPOSITORY, 'deploy/health.mjs');

interface Management {
  program: ProgramProcess;
  folder: string;
  api: Api;
}

const root = mkdtempSync(join(scratchFolder(), 'rampart-enrolment-'));
const programs: ProgramProcess[] = [];
let postgres: { url: string; stop(): Promise<void> };
let management: Management;
let started = 0;

/** Starts a management on the shared database, with the shared keys. */
async function start(): Promise<Management> {
  started += 1;
  const url = `http://127.0.0.1:${await freePort()}`;
  const folder = join(root, `management ${started}`);
  const program = new ProgramProcess('management', {
    RAMPART_HOST: '127.0.0.1',
    RAMPART_PORT: new URL(url).port,
    RAMPART_DATA_DIR: folder,
    RAMPART_PUBLIC_URL: url,
    RAMPART_ADMIN_USERNAME: ROOT.username,
    RAMPART_ADMIN_PASSWORD: ROOT.password,
    DATABASE_URL: postgres.url,
    ...KEYS,
  });
  programs.push(program);
  await program.printed(`Ready on ${url}`);
  return { program, folder, api: await new Api(url).login(ROOT.username, ROOT.password) };
}

function startNode(enrolment: string, name: string): ProgramProcess {
  const program = startEnrolledNode(enrolment, join(root, name));
  programs.push(program);
  return program;
}

const enrol = (name: string, values?: object): Promise<Enrolled> => enrolNode(management.api, name, values);

const viewOf = (id: number, { api } = management): Promise<NodeView> => api.get(`/api/node/${id}`);

const becomes = (id: number, status: string, message: RegExp = /^/): Promise<unknown> =>
  eventually(
    `node ${id} is ${status}`,
    async () => {
      const view = await viewOf(id);
      return view.status === status && message.test(view.message ?? '') ? view : undefined;
    },
    30_000,
  );

/** Whether this management itself can call the node, on a connection of its own. */
const reaches = async ({ api }: Management, id: number): Promise<number> =>
  (await api.send('GET', `/api/node/${id}/realtime_stats`)).status;

beforeAll(async () => {
  const { EmbeddedPostgres }: { EmbeddedPostgres: { start(options: object): Promise<typeof postgres> } } = await import(
    DATABASE
  );
  copyDatabase(root);
  postgres = await EmbeddedPostgres.start({ dataDir: join(root, 'postgres'), log: () => undefined });
  management = await start();
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe('the enrolment of a node', () => {
  it.each(['grpc', 'rest'])('a node with one pasted value is connected over %s', async (connection_type) => {
    const { node, enrolment } = await enrol(connection_type, { connection_type });
    const program = startNode(enrolment, connection_type);
    await becomes(node.id, 'connected');
    await program.printed('Enrolled as urn:rampart:node:');
    expect(await reaches(management, node.id)).toBe(200);
  });

  it('an enrolled node stays connected to a second management, and to one that was started again', async () => {
    const { node, enrolment } = await enrol('stays');
    startNode(enrolment, 'stays');
    await becomes(node.id, 'connected');
    const second = await start();
    expect(await reaches(second, node.id)).toBe(200);

    await management.program.kill();
    management = second;
    const user = await second.api.create<{ username: string }>('/api/user', { username: 'after-the-kill' });
    expect(user.username).toBe('after-the-kill');
    await becomes(node.id, 'connected');
    management = await start();
    await second.program.stop();
    expect(await reaches(management, node.id)).toBe(200);
    await management.api.run(`/api/node/${node.id}/reconnect`, {});
    await becomes(node.id, 'connected');
  });

  it('a node that is enrolled again is refused with its old value, and connected with the new one', async () => {
    const { node, enrolment: old } = await enrol('again');
    const before = startNode(old, 'again');
    await becomes(node.id, 'connected');
    const { enrolment } = await management.api.run<Enrolled>(`/api/node/${node.id}/enrol`, {});
    const otherNode = /is not the node that we know: its certificate is that of urn:rampart:node:\S+, expected urn:/;
    await becomes(node.id, 'error', otherNode);
    expect(await reaches(management, node.id)).toBe(503);
    await before.stop();

    const after = startNode(enrolment, 'again');
    await becomes(node.id, 'connected');
    await after.stop();
    startNode(old, 'again');
    await becomes(node.id, 'error', otherNode);
  });

  it('rampart doctor and the health check find nothing wrong with an enrolled node', async () => {
    const { node, enrolment } = await enrol('healthy');
    const program = startNode(enrolment, 'healthy');
    await becomes(node.id, 'connected');
    const here = await management.api.get<{ checks: { name: string; state: string }[] }>('/api/doctor');
    const rows = here.checks.filter(({ name }) => name.startsWith('node healthy'));
    expect(rows.map(({ name, state }) => [name, state])).toEqual([
      ['node healthy', 'ok'],
      ['node healthy: engine', 'ok'],
      ['node healthy: clock', 'ok'],
      ['node healthy: certificate', 'ok'],
    ]);

    const env = { ...process.env, ...nodeSettings(enrolment, join(root, 'healthy')) };
    await promisify(execFile)(process.execPath, [HEALTH_CHECK, 'node'], { env });

    const there = await doctor('node', nodeSettings(enrolment, join(root, 'healthy')));
    const { port } = await viewOf(node.id);
    expect(there.row('certificate')).toMatchObject({ state: 'ok' });
    expect(there.row('port')).toMatchObject({
      state: 'ok',
      seen: `the enrolled node answers on port ${port}, and serves management alone`,
    });
    await program.stop();
  });

  it('a node with a certificate of its own prints a line by which management adds it', async () => {
    const [port, inboundPort] = [await freePort(), await freePort()];
    const settings = {
      RAMPART_API_KEY: 'a-key-of-the-line-test',
      RAMPART_NODE_HOST: '127.0.0.1',
      RAMPART_NODE_PORT: `${port}`,
      RAMPART_NODE_DATA_DIR: join(root, 'own'),
      XRAY_EXECUTABLE_PATH: enginePath(),
    };
    const early = await rampart('node', ['line'], settings);
    expect(early).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The node has no certificate yet: its first start makes one. Start it, then try again.\n',
    });
    const program = new ProgramProcess('node', settings);
    programs.push(program);
    await program.printed('Management adds this node by its API key and this line: rampart-node-1.');
    const { stdout: line } = await rampart('node', ['line'], settings);
    const core = await createCore(management.api, 'own', inboundPort);
    const words = [
      'node',
      'add',
      'own',
      '--line',
      line.trim(),
      '--address',
      '127.0.0.1',
      '--core',
      `${core}`,
      '--json',
    ];
    const added = await rampart('management', words, { RAMPART_DATA_DIR: management.folder });
    expect([added.code, added.stderr]).toEqual([0, '']);
    await becomes(JSON.parse(added.stdout).id, 'connected');

    const { enrolment } = await enrol('no line');
    const enrolled = await rampart('node', ['line'], nodeSettings(enrolment, join(root, 'no line')));
    expect(enrolled.stderr).toBe('This node is enrolled: management knows it already.\n');
  });

  it('a value that was cut is refused when the node starts, and the output contains nothing of it', async () => {
    const { enrolment } = await enrol('cut');
    const { code, output } = await startNode(enrolment.slice(0, 900), 'cut').ended();
    expect(code).toBe(1);
    expect(output).toBe(
      'The settings are not right:\n' +
        `  RAMPART_ENROLMENT is cut off after ${900 - 'RAMPART_ENROLMENT='.length} characters. Paste the whole value that ` +
        'management has shown for this node, or have it issue another one\n',
    );
  });
});
