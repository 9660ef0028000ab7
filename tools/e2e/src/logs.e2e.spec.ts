import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually, type ProgramProcess } from '@rampart/testing';
import { API_KEY, TwoPrograms } from './testing/two-programs.js';

jest.setTimeout(120_000);

interface Line {
  readonly level: string;
  readonly context?: string;
  readonly requestId?: string;
  readonly message: string;
}

const linesOf = ({ output }: ProgramProcess): Line[] =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));

describe('the logs of both programs on the level debug', () => {
  let programs: TwoPrograms;
  let ids: { nodeId: number; groupId: number };

  const lineOf = (program: () => ProgramProcess, what: string, wanted: (line: Line) => boolean): Promise<Line> =>
    eventually(what, (saw) => saw(linesOf(program())).find(wanted), 20_000);

  beforeAll(async () => {
    const debug = { RAMPART_LOG_LEVEL: 'debug' };
    programs = await TwoPrograms.start({
      management: { ...debug, RAMPART_TRUSTED_PROXIES: '127.0.0.0/8' },
      node: debug,
    });
    ids = await programs.connect('logs');
  });

  afterAll(() => programs?.stop());

  it('the id of a request is in its answer, in its line, and in the line of the call to the node that follows from it', async () => {
    const { api, management } = programs;
    const made = await api.send('POST', '/api/user', { username: 'ann', group_ids: [ids.groupId] });
    const id = made.headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const own = await lineOf(
      () => management,
      'management logs the request',
      ({ requestId }) => requestId === id,
    );
    expect(own).toMatchObject({
      level: 'debug',
      context: 'Requests',
      message: expect.stringMatching(/^POST \/api\/user 201 in \d+ ms by root$/),
    });
    const call = await lineOf(
      () => programs.node,
      'the node logs the call',
      ({ requestId, message }) => requestId === id && message.startsWith('SyncUser'),
    );
    expect(call).toMatchObject({
      level: 'debug',
      context: 'Calls',
      message: expect.stringMatching(/^SyncUser: OK in/),
    });
  });

  it('a request that reads from a node is logged there under the same id', async () => {
    const { headers } = await programs.api.send('GET', `/api/node/${ids.nodeId}/realtime_stats`);
    const id = headers.get('x-request-id');
    await lineOf(
      () => programs.node,
      'the node logs the call',
      ({ requestId, message }) => requestId === id && message.startsWith('GetSystemStats: OK'),
    );
  });

  it('a reconnect that an admin orders is logged under the id of the request on both sides', async () => {
    const { api, management } = programs;
    const { headers } = await api.send('POST', `/api/node/${ids.nodeId}/reconnect`);
    const id = headers.get('x-request-id');
    for (const [program, text] of [
      [() => management, `node ${ids.nodeId}: connecting`],
      [() => management, `node ${ids.nodeId}: connected`],
      [() => programs.node, 'Start with the same configuration: 1 users are served'],
    ] as const)
      await lineOf(program, text, ({ requestId, message }) => requestId === id && message.startsWith(text));
  });

  it('calls that no request has caused have an id of their own', async () => {
    const { requestId } = await lineOf(
      () => programs.node,
      'the node logs a collection of traffic',
      ({ message, requestId: id }) => message.startsWith('CollectTraffic: OK') && (id ?? '').startsWith('sync-'),
    );
    expect(requestId).toMatch(/^sync-[0-9a-f]{16}$/);
  });

  it("a trusted proxy's id is kept where it is well-formed, and replaced where it is not", async () => {
    const { url } = programs.api;
    const idOf = async (given: string) =>
      (await fetch(`${url}/health`, { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await idOf('proxy:7.a_B-9')).toBe('proxy:7.a_B-9');
    for (const bad of ['a b', 'a"b', 'a'.repeat(129), '<script>']) expect(await idOf(bad)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('no secret reaches a line of either program, whatever is sent', async () => {
    const { api, password, management, nodePort } = programs;
    const { url } = api;
    const secrets = {
      wrongPassword: 'wrong-password-7f3a',
      cookie: 'session-cookie-91bc',
      bearer: 'no-valid-bearer-55de',
      nodeKey: 'a-wrong-key-of-the-node',
      newPassword: 'a-new-password-c0ffee',
      newKey: 'another-api-key-of-a-node',
    };
    const user = await api.create<{ subscription_url: string }>('/api/user', {
      username: 'bob',
      group_ids: [ids.groupId],
    });
    const token = user.subscription_url.split('/').at(-1) ?? '';
    await fetch(user.subscription_url);
    await fetch(`${user.subscription_url}/nothing`);
    await fetch(`${url}/sub/%zz${token}`);
    await fetch(`${url}/nothing/sub/${token}?token=${token}`);
    await api.send('POST', '/api/admin/token', { username: 'root', password: secrets.wrongPassword });
    await api.send('POST', '/api/admin/token', `{"password":"${secrets.wrongPassword}`);
    await fetch(`${url}/api/users`, {
      headers: { authorization: `Bearer ${secrets.bearer}`, cookie: `id=${secrets.cookie}` },
    });
    await api.send('POST', '/api/admin', { username: 'carl', password: secrets.newPassword, is_sudo: false });
    const made = await api.create<{ token: string }>('/api/admin/tokens', {
      name: 'ci',
      scope: 'read',
      grants: ['secrets'],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await api.send('PUT', `/api/node/${ids.nodeId}`, { api_key: secrets.newKey });
    await fetch(`https://127.0.0.1:${nodePort}/info`, { headers: { 'x-api-key': secrets.nodeKey } }).catch(
      () => undefined,
    );
    // A node key that the node does not take makes the node's and management's lines of refused calls.
    await lineOf(
      () => management,
      'the wrong key is told',
      ({ message }) => message.includes(': error,'),
    );
    await api.send('PUT', `/api/node/${ids.nodeId}`, { api_key: API_KEY });
    await eventually('the node is connected again', () => programs.isConnected(ids.nodeId), 30_000);
    const all = `${management.output}\n${programs.node.output}`;
    expect(linesOf(management).some(({ message }) => message.startsWith('GET /sub/:token 200 in '))).toBe(true);
    for (const secret of [password, API_KEY, token, made.token, ...Object.values(secrets)])
      expect(all.includes(secret) ? secret : undefined).toBeUndefined();
    expect(all).not.toMatch(/eyJ[\w-]+\.eyJ|PRIVATE KEY|Bearer /);
  });
});

describe('the form and the level of the log', () => {
  it('RAMPART_LOG_FORMAT=text and RAMPART_LOG_LEVEL hold for both programs', async () => {
    const text = { RAMPART_LOG_FORMAT: 'text' };
    const programs = await TwoPrograms.start({ management: text, node: text });
    const { management, node } = programs;
    await programs.stop();
    expect(management.output).toMatch(/^\S+Z INFO {2}\[Management\] Ready on http:\/\/127\.0\.0\.1:\d+$/m);
    expect(node.output).toMatch(/^\S+Z INFO {2}\[Node\] Ready for REST and gRPC on /m);
    expect(`${management.output}${node.output}`).not.toMatch(/^\{|DEBUG/m);
  });
});
