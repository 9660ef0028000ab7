import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenApiService } from './openapi/open-api.service.js';
import type { OpenApiDocument } from './openapi/schema.js';
import { MUTATIONS } from './testing/mutations/mutations.js';
import { type Route, routesOf } from './testing/routes.js';
import { placesIn, withMember } from './testing/schema-members.js';
import { TestManagement } from './testing/test-management.js';

/** Names that every object has, whatever a table of names holds. */
const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'] as const;
/** They end the service or never end. */
const LEFT_OUT = /\/logs|\/events/;

describe('security row 91: a name that every object has, which a request gives', () => {
  let management: TestManagement;
  let document: OpenApiDocument;
  let routes: readonly Route[];
  let values: Record<string, string>;

  beforeAll(async () => {
    management = await TestManagement.start();
    document = await management.app.get(OpenApiService).document();
    routes = routesOf(management.app).filter(({ path }) => !LEFT_OUT.test(path));
    const group = await management.call('POST', '/api/group', { name: 'group', inbound_tags: ['Shadowsocks TCP'] });
    const host = { remark: 'host', inbound_tag: 'Shadowsocks TCP', priority: 1, address: ['192.0.2.1'] };
    expect([group.status, (await management.call('POST', '/api/host', host)).status]).toEqual([201, 201]);
    const user = await management.call('POST', '/api/user', { username: 'alice', group_ids: [1] });
    const token = new URL(Object(user.body).subscription_url).pathname.split('/').at(-1) ?? '';
    values = { username: 'alice', token, format: 'links' };
  });
  afterAll(() => management?.close());

  const parametersOf = ({ method, path }: Route) =>
    document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.parameters ?? [];
  const urlOf = ({ path }: Route, given: Readonly<Record<string, string>>): string =>
    path.replaceAll(/:(\w+)/g, (_, name: string) => given[name] ?? values[name] ?? '1');

  it('is no error of the service as any parameter of any route', async () => {
    const broken: string[] = [];
    let asked = 0;
    for (const route of routes) {
      for (const { name, in: place } of parametersOf(route)) {
        for (const value of NAMES) {
          const url = place === 'query' ? `${urlOf(route, {})}?${name}=${value}` : urlOf(route, { [name]: value });
          const { status, text } = await management.request(route.method, url, route.method === 'GET' ? undefined : {});
          asked += 1;
          if (status >= 500 && status !== 503) broken.push(`${route.method} ${url}: ${status} ${text}`);
        }
      }
    }
    expect(broken).toEqual([]);
    expect(asked).toBeGreaterThan(400);
  });

  it('is no error of the service as any text of a body', async () => {
    const broken: string[] = [];
    let asked = 0;
    for (const { route, method } of routes) {
      const mutation = MUTATIONS[route];
      const example = await mutation?.prepare(management);
      for (const path of placesIn(example?.body)) {
        if (!mutation || path.length === 0 || typeof valueAt(example?.body, path) !== 'string') continue;
        const { url, body } = await mutation.prepare(management);
        const value = NAMES[asked % NAMES.length];
        const { status, text } = await management.request(method, url, withMember(body, path, value));
        asked += 1;
        if (status >= 500 && status !== 503) broken.push(`${route} with ${path.join('.')}=${value}: ${status} ${text}`);
      }
    }
    expect(broken).toEqual([]);
    expect(asked).toBeGreaterThan(50);
  });
});

const valueAt = (body: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), body);
