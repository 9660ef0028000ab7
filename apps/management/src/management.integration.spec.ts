import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { listen } from '@rampart/program';
import { CoreService } from './cores/core.service.js';
import { readManagementEnv } from './env/management-env.js';
import { SUDO, TestManagement } from './testing/test-management.js';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const at = (port: number) => readManagementEnv({ RAMPART_HOST: '127.0.0.1', RAMPART_PORT: String(port) }).address;

describe('the service', () => {
  it('answers the health check', async () => {
    expect(await management.call('GET', '/health', undefined, '')).toEqual({ status: 200, body: { status: 'ok' } });
  });

  it.each(['/api/nothing', '/api/user/%zz', '/'])('answers %s with 404', async (url) => {
    expect(await management.call('GET', url)).toEqual({
      status: 404,
      body: { detail: 'Not Found', code: 'NOT_FOUND' },
    });
  });

  it.each([
    ['application/json', '{"username":', 422, { detail: { body: 'JSON decode error' }, code: 'INVALID_FIELDS' }],
    ['text/xml', '<a/>', 415, { detail: 'The body must be JSON', code: 'MEDIA_TYPE_UNSUPPORTED' }],
    [
      'application/json',
      JSON.stringify('x'.repeat(64 * 1024)),
      413,
      { detail: 'The body is larger than 32 KiB', code: 'BODY_TOO_LARGE' },
    ],
  ])('refuses a broken body of %s', async (type, payload, status, body) => {
    const answer = await management.app.inject({
      method: 'POST',
      url: '/api/admin/token',
      headers: { 'content-type': type },
      payload,
    });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({ status, body });
  });

  it('security row 28: shows nothing of a fault of its own, and logs it', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const fault = jest.spyOn(management.app.get(CoreService), 'list').mockRejectedValue(new Error('SELECT secret'));
    const token = await management.login(SUDO.username, SUDO.password);
    expect(await management.call('GET', '/api/cores', undefined, token)).toEqual({
      status: 500,
      body: { detail: 'Internal error', code: 'INTERNAL' },
    });
    expect(log.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual(['Error: SELECT secret']);
    fault.mockRestore();
    log.mockRestore();
  });

  it('names a port that is in use, and the setting that changes it', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const refused = await listen(management.app, at(port)).catch(String);
    await new Promise((resolve) => other.close(resolve));
    expect(refused).toBe(
      `OperatorError: Port ${port} on 127.0.0.1 is taken by another program: set RAMPART_PORT to a free one.`,
    );
  });

  it('listens on its port', async () => {
    const address = await listen(management.app, at(0));
    expect(await (await fetch(`http://${address}/health`)).json()).toEqual({ status: 'ok' });
  });

  it('stops in time and in order while a client keeps a request open', async () => {
    const other = await TestManagement.start();
    const address = await listen(other.app, at(0));
    const client = connect({ host: '127.0.0.1', port: Number(address.split(':')[1]) });
    client.on('error', () => undefined).resume();
    await once(client, 'connect');
    client.write(
      'POST /api/admin/token HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    const cut = once(client, 'close');
    await other.close();
    await cut;
    expect(other.database.isInitialized).toBe(false);
  });

  it('stops after pending answers, without waiting for idle connections', async () => {
    const other = await TestManagement.start();
    await other.database.query(
      `INSERT INTO users (username, note)
       SELECT 'user' || n, repeat('x', 400) FROM generate_series(1, 5000) n`,
    );
    const address = await listen(other.app, at(0));
    const cut = jest.spyOn(other.app.getHttpServer(), 'closeAllConnections');
    const get = (path: string, token = '') =>
      `GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`;
    const client = () => connect({ host: '127.0.0.1', port: Number(address.split(':')[1]) });
    const idle = client();
    idle.write(get('/health'));
    await once(idle, 'data');
    const reader = client();
    reader.write(get('/api/users', await other.login(SUDO.username, SUDO.password)));
    await once(reader, 'readable');
    const closing = other.close();
    const list = await text(reader);
    await closing;
    expect(list.startsWith('HTTP/1.1 200')).toBe(true);
    expect(list.split('"username":"user').length - 1).toBe(5_000);
    expect(list.includes('],"total":5000}')).toBe(true);
    expect(cut).not.toHaveBeenCalled();
    expect(idle.destroyed || idle.readableEnded || (await once(idle, 'close'))).toBeTruthy();
  });
});
