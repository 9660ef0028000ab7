import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Api, eventually, freePort, type ProgramProcess, scratchFolder } from '@rampart/testing';
import { type Enrolled, enrolNode, type NodeView, startEnrolledNode } from './testing/enrolled-node.js';

jest.setTimeout(120_000);

const ROOT = { username: 'root', password: 'a password for renewals' };
const MANAGEMENT = join(dirname(fileURLToPath(import.meta.url)), '../../../apps/management/dist');
/** Certificates are renewed when a third of this is left. */
const LIFETIME_MS = 12_000;

interface Application {
  get(type: unknown): object;
  getHttpAdapter(): unknown;
  listen(port: number, host: string): Promise<unknown>;
}

const root = mkdtempSync(join(scratchFolder(), 'rampart-renewal-'));
const nodes: ProgramProcess[] = [];
let close: () => Promise<void>;
let api: Api;

const load = (file: string): Promise<Record<string, never>> => import(join(MANAGEMENT, file));

/** Management in this process, because its certificates must be valid for seconds instead of a year. */
beforeAll(async () => {
  const { createManagementApp } = (await load('app/management.app.js')) as unknown as {
    createManagementApp(env: unknown, logger: unknown): Promise<{ app: Application; close(): Promise<void> }>;
  };
  const { readManagementEnv } = (await load('env/management-env.js')) as unknown as {
    readManagementEnv(source: object): unknown;
  };
  const { AuthorityTiming } = await load('nodes/authority/authority-timing.js');
  const { NodeTiming } = await load('nodes/sync/node-timing.js');
  const port = await freePort();
  const env = readManagementEnv({
    RAMPART_DATA_DIR: join(root, 'management'),
    RAMPART_ADMIN_USERNAME: ROOT.username,
    RAMPART_ADMIN_PASSWORD: ROOT.password,
    RAMPART_PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  const none = () => undefined;
  const management = await createManagementApp(env, { log: none, warn: none, error: none, debug: none, verbose: none });
  close = management.close;
  Object.assign(management.app.get(AuthorityTiming), { leafMs: LIFETIME_MS });
  Object.assign(management.app.get(NodeTiming), { healthMs: 200, renewalRetryMs: 500, maxRetryDelayMs: 500 });
  await management.app.listen(port, '127.0.0.1');
  api = await new Api(`http://127.0.0.1:${port}`).login(ROOT.username, ROOT.password);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await close?.();
  rmSync(root, { recursive: true, force: true });
});

function startNode(enrolment: string, name: string): ProgramProcess {
  const program = startEnrolledNode(enrolment, join(root, name));
  nodes.push(program);
  return program;
}

const viewOf = (id: number): Promise<NodeView> => api.get(`/api/node/${id}`);
const endOf = async (id: number): Promise<number> => Date.parse((await viewOf(id)).certificate_expires_at ?? '');

const becomes = (id: number, status: string, message = ''): Promise<unknown> =>
  eventually(
    `node ${id} is ${status}`,
    async () => {
      const view = await viewOf(id);
      return view.status === status && (view.message ?? '').includes(message) ? view : undefined;
    },
    90_000,
  );
const enrol = (name: string): Promise<Enrolled> => enrolNode(api, name);

describe('the certificate of an enrolled node', () => {
  it('a certificate is renewed over the link before it ends, and the node keeps it over a restart', async () => {
    const { node, enrolment } = await enrol('renewed');
    const first = startNode(enrolment, 'renewed');
    await becomes(node.id, 'connected');
    const end = await endOf(node.id);
    await eventually('it is renewed', async (saw) => saw(await endOf(node.id)) > end, LIFETIME_MS);
    expect(Date.now()).toBeLessThan(end);

    await eventually('the first certificate has ended', (saw) => saw(Date.now()) > end, LIFETIME_MS);
    expect((await viewOf(node.id)).status).toBe('connected');
    await first.stop();
    await becomes(node.id, 'error');
    startNode(enrolment, 'renewed');
    await becomes(node.id, 'connected');
    expect(await endOf(node.id)).toBeGreaterThan(end);
  });

  it('a certificate that has ended is refused by management, and by the node when it starts', async () => {
    const { node, enrolment } = await enrol('ended');
    const program = startNode(enrolment, 'ended');
    await becomes(node.id, 'connected');
    const end = await endOf(node.id);
    await api.modify(`/api/node/${node.id}`, { status: 'disabled' });
    await eventually('the certificate has ended', (saw) => saw(Date.now()) > end + 1_000, 2 * LIFETIME_MS);
    await api.modify(`/api/node/${node.id}`, { status: 'connected' });
    await becomes(node.id, 'error', 'is not the node that we know: certificate has expired');
    await program.stop();

    const { code, output } = await startNode(enrolment, 'ended').ended();
    expect(code).toBe(1);
    expect(output).toContain(
      `RAMPART_ENROLMENT: its certificate ended on ${new Date(end).toISOString()}, and there is no renewed one: have ` +
        'management issue another enrolment for this node (rampart node enrol), and set it here',
    );
    const again = await api.run<Enrolled>(`/api/node/${node.id}/enrol`, {});
    startNode(again.enrolment, 'ended');
    await becomes(node.id, 'connected');
  });
});
