import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HTTPMethods } from 'fastify';
import { OpenApiService } from '../openapi/open-api.service.js';
import { TestManagement } from '../testing/test-management.js';

let management: TestManagement;
let paths: Record<string, Record<string, { parameters?: object[]; requestBody?: object }>>;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_DOCS: 'true' });
  await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
  await management.call('POST', '/api/user', { username: 'alice' });
  paths = (await management.app.get(OpenApiService).document()).paths;
});
afterAll(() => management?.close());

const urlOf = (path: string) => path.replaceAll('{username}', 'alice').replaceAll(/\{\w+\}/g, '1');
const refused = (detail: object) => ({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });

describe('a number in a query', () => {
  const numbers = () =>
    Object.entries(paths).flatMap(([path, { get }]) =>
      (get?.parameters ?? []).flatMap((parameter) => {
        const { in: place, name, schema } = Object(parameter);
        const isNumber = [schema.type, schema.items?.type].flat().includes('integer');
        return place === 'query' && isNumber && path.startsWith('/api/') ? [{ path, name: String(name) }] : [];
      }),
    );

  it.each(['', '1.0', '+1', '1e1', '0x1', ' 1', '1 ', 'one', '1,2', '٣'])(
    'is refused when written as %j',
    async (text) => {
      expect(numbers().length).toBeGreaterThan(15);
      for (const { path, name } of numbers()) {
        const { status, body } = await management.call('GET', `${urlOf(path)}?${name}=${encodeURIComponent(text)}`);
        const names = Object.keys(Object(Reflect.get(Object(body), 'detail')));
        expect({ path, name, status, names }).toEqual({ path, name, status: 422, names: [name] });
      }
    },
  );

  it('is accepted in digits, with or without leading zeros', async () => {
    for (const text of ['0', '1', '007']) {
      expect(await management.call('GET', `/api/groups?limit=${text}`)).toMatchObject({ status: 200 });
    }
    expect(await management.call('GET', '/api/groups?offset=-1')).toEqual(
      refused({ offset: 'Input should be an integer from 0 to 2147483647' }),
    );
  });
});

describe('a request without the body that its route takes', () => {
  it('is refused', async () => {
    const routes = Object.entries(paths).flatMap(([path, item]) =>
      (['post', 'put'] as const).flatMap((method) => (item[method]?.requestBody ? [{ method, path }] : [])),
    );
    expect(routes.length).toBeGreaterThan(20);
    for (const { method, path } of routes) {
      const { statusCode, payload } = await management.app.inject({
        method: method.toUpperCase() as HTTPMethods,
        url: urlOf(path),
        headers: { authorization: `Bearer ${await token()}` },
      });
      expect({ method, path, statusCode, payload }).toMatchObject({ statusCode: 422 });
    }
  });

  it('the error for a missing body names the body, or its required members', async () => {
    expect(await management.call('PUT', '/api/user/alice')).toEqual(refused({ body: 'Field required' }));
    expect(await management.call('PUT', '/api/settings')).toEqual(refused({ body: 'Field required' }));
    expect(await management.call('POST', '/api/users/bulk/expire')).toEqual(refused({ amount: 'Field required' }));
    expect(await management.call('PUT', '/api/user/alice', {})).toMatchObject({ status: 200 });
  });

  const token = () => management.login('root', 'correct horse battery');
});

describe('a number that JavaScript would round', () => {
  it('is refused in a known member', async () => {
    const problem = 'has more digits than a number keeps';
    const config = '{"name":"a","config":{"a":[12345678901234567890]}}';
    expect(await send('POST', '/api/core', config)).toEqual(refused({ 'config.a.0': problem }));
    expect(await send('POST', '/api/core', '{"name":"a","config":{"a":1e400}}')).toEqual(
      refused({ 'config.a': problem }),
    );
    expect(await send('PUT', '/api/user/alice', '{"next_plan":{"data_limit":9007199254740993}}')).toEqual(
      refused({ 'next_plan.data_limit': `Input should be an integer from 0 to ${Number.MAX_SAFE_INTEGER}` }),
    );
  });

  it('is ignored in an unknown member', async () => {
    const body = '{"note":"kept","id":1e400,"mine":{"a":[12345678901234567890]},"next_plan":{"theirs":1e300}}';
    expect(await send('PUT', '/api/user/alice', body)).toMatchObject({ status: 200, body: { note: 'kept' } });
  });

  async function send(method: 'POST' | 'PUT', url: string, payload: string) {
    const token = await management.login('root', 'correct horse battery');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await management.app.inject({ method, url, headers, payload });
    return { status: answer.statusCode, body: JSON.parse(answer.payload) };
  }
});

describe('a method that a path does not have', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
  const ask = async (method: HTTPMethods, url: string) => {
    const { statusCode, headers } = await management.app.inject({ method, url });
    return { status: statusCode, allow: String(headers['allow'] ?? '') };
  };

  it('an unsupported method is 405, and Allow names the supported ones, also for a path that matches one with a parameter', async () => {
    for (const path of Object.keys(paths)) {
      const url = urlOf(path);
      const answers = await Promise.all(METHODS.map(async (method) => ({ method, ...(await ask(method, url)) })));
      const taken = answers.filter(({ status }) => status !== 405).map(({ method }) => method);
      expect({ path, taken: taken.length }).not.toEqual({ path, taken: 0 });
      for (const { status, allow, method } of answers) {
        if (status !== 405) expect(`${path} ${method} ${status}`).not.toMatch(/^\/(api|health).* 404$/);
        else expect({ path, method, allow }).toEqual({ path, method, allow: [...taken].sort().join(', ') });
      }
    }
  });

  it('an unsupported method is 405 where the router would take the last segment of the path for an id', async () => {
    for (const method of ['PUT', 'DELETE', 'OPTIONS'] as const) {
      expect(await ask(method, '/api/node/settings')).toEqual({ status: 405, allow: 'GET, HEAD' });
    }
    expect((await ask('PUT', '/api/node/1')).status).toBe(401);
    // `from_template` may be a username, so the route of a user is called.
    expect((await ask('GET', '/api/user/from_template')).status).toBe(401);
  });

  it('a path parameter that is longer than any name is 404', async () => {
    const url = `/api/user/${'x'.repeat(600)}`;
    expect(await ask('GET', url)).toEqual({ status: 404, allow: '' });
  });
});
