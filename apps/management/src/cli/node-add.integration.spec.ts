import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readEnrolment, writeNodeLine } from '@rampart/node-client';
import { LEAF } from '../nodes/testing/certificates.js';
import { ManagementWithNodeDoubles } from '../nodes/testing/management-with-node-doubles.js';
import { done, failed, type RampartRun, runRampart } from './testing/run-rampart.js';

const API_KEY = 'a-key-of-the-tests';

let nodes: ManagementWithNodeDoubles;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
  await nodes.management.openControlSocket();
}, 60_000);
afterAll(() => nodes?.close());

const run = (words: readonly string[], input?: string): Promise<RampartRun> =>
  runRampart(words, { RAMPART_DATA_DIR: nodes.management.folder }, input);

const nodeNamed = async (name: string): Promise<object> => {
  const { body } = await nodes.management.call('GET', '/api/nodes');
  return (body as { name: string }[]).find((node) => node.name === name) ?? {};
};

describe('rampart node add', () => {
  it('prints the one setting that the new node needs, and nothing else', async () => {
    const { code, stdout, stderr } = await run(['node', 'add', 'far', '--address', '192.0.2.7']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^RAMPART_ENROLMENT=rampart-enrolment-1\.[\w-]+\.[\w-]{8}\n$/);
    expect(readEnrolment(stdout).port).toBe(62_050);
    expect(await nodeNamed('far')).toMatchObject({ address: '192.0.2.7', port: 62_050, core_config_id: 1 });
    expect(await nodes.newestAuditEntries()).toMatchObject([{ actor: 'local', action: 'node.enrol' }]);
  });

  it('takes ports and a core, and prints JSON', async () => {
    const ports = ['--port', '8443', '--listen-port', '62051', '--core', '1'];
    const { stdout } = await run(['node', 'add', 'mapped', '--address', 'node.example', ...ports, '--json']);
    const { node, enrolment } = JSON.parse(stdout);
    expect(await nodeNamed('mapped')).toMatchObject({ id: node.id, address: 'node.example', port: 8443 });
    expect([node.port, readEnrolment(enrolment).port]).toEqual([8443, 62_051]);
  });

  it('--line adds a node with a certificate of its own, and asks for its API key', async () => {
    const line = writeNodeLine({ address: '192.0.2.8', port: 62_052, certificate: LEAF });
    expect(await run(['node', 'add', 'own', '--line', line], `${API_KEY}\n`)).toEqual(
      done('Added the node own at 192.0.2.8, port 62052\n'),
    );
    expect(await nodeNamed('own')).toMatchObject({ server_ca: LEAF, keep_alive: 0, certificate_expires_at: null });
    const secret = writeNodeLine({ address: '172.17.0.2', port: 62_052, certificate: LEAF, apiKey: API_KEY });
    const options = ['--address', 'node.example', '--port', '8443'];
    expect(await run(['node', 'add', 'own 2', '--line', secret, ...options])).toEqual(
      done('Added the node own 2 at node.example, port 8443\n'),
    );
  });

  it.each([
    ['without a value', ['--line']],
    ['with -', ['--line', '-']],
  ])('security row 60: --line %s reads the line, and a key that it lacks, from standard input', async (how, option) => {
    const node = { address: '192.0.2.9', port: 62_052, certificate: LEAF };
    const [whole, open] = [writeNodeLine({ ...node, apiKey: API_KEY }), writeNodeLine(node)];
    expect(await run(['node', 'add', `whole ${how}`, ...option], `${whole}\n`)).toEqual(
      done(`Added the node whole ${how} at 192.0.2.9, port 62052\n`),
    );
    expect(await run(['node', 'add', `open ${how}`, ...option], `${open}\n${API_KEY}\n`)).toEqual(
      done(`Added the node open ${how} at 192.0.2.9, port 62052\n`),
    );
    expect((await run(['node', 'add', 'nothing', ...option], '')).stderr).toMatch(/^--line /);
  });

  it('refuses a cut line, a missing address, a wrong port and a taken name', async () => {
    const line = writeNodeLine({ address: '192.0.2.8', port: 62_052, certificate: LEAF }).slice(0, 100);
    expect(await run(['node', 'add', 'cut', '--line', line])).toEqual(
      failed('--line is cut off after 100 characters. Paste the whole line that the node prints at its start\n'),
    );
    expect(await run(['node', 'add', 'nowhere'])).toEqual(
      failed('Give the address of the node: --address, or --line.\n'),
    );
    expect(await run(['node', 'add', 'far', '--address', '192.0.2.7'])).toEqual(failed('Node "far" already exists\n'));
    expect((await run(['node', 'add', 'x', '--address', '192.0.2.7', '--port', 'http'])).code).toBe(2);
    expect((await run(['node', 'add', 'x', '--line', line, '--listen-port', '1'])).code).toBe(2);
  });
});

describe('rampart node enrol', () => {
  it('prints another value for a node, by name or id', async () => {
    const first = await run(['node', 'add', 'again', '--address', '192.0.2.9']);
    const { id } = (await nodeNamed('again')) as { id: number };
    const second = await run(['node', 'enrol', 'again']);
    const third = await run(['node', 'enrol', `${id}`]);
    expect([second.code, third.code]).toEqual([0, 0]);
    const keys = [first, second, third].map(({ stdout }) => readEnrolment(stdout).apiKey);
    expect(new Set(keys).size).toBe(3);
    expect(await run(['node', 'enrol', 'nobody'])).toEqual(
      failed('There is no node "nobody": see "rampart node list".\n'),
    );
  });
});
