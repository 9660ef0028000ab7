import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, configOf, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import { about, type Call, expectRefused, someText } from './refusal.js';

interface CoreList {
  readonly count: number;
  readonly cores: readonly Core[];
}

const UNKNOWN = 987_654;
/** Two tags that have 2,048 characters when joined by a comma. */
const longestTags = ['a'.repeat(1024), 'b'.repeat(1023)];
const tooLongTags = ['a'.repeat(1024), 'b'.repeat(1024)];

describe('core configurations', () => {
  const config = { policy: { levels: { 0: { statsUserOnline: true } } }, ...configOf(vless('core endpoint')) };
  const refused = (method: Call['method'], path: string, body: unknown, status: number, detail: unknown) =>
    expectRefused([{ method, path, body }], status, detail, ['/api/cores', '/api/inbounds']);
  let core: Core;

  beforeAll(async () => {
    core = await createCore(vless('core of the endpoints'));
  });
  afterAll(() => deleteCore(core));

  it('a new database has a default core, which cannot be deleted', async () => {
    expect(await environment.sudo.get('/api/core/1')).toMatchObject({ id: 1, name: 'Default Core Config' });
    await refused('DELETE', '/api/core/1', undefined, 403, someText);
  });

  it('a core is created, returned as it was sent, modified, restarted and deleted', async () => {
    const sent = { name: 'contract', config, exclude_inbound_tags: ['x'], fallbacks_inbound_tags: ['y'] };
    const own = {
      private_networks: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      version: expect.any(String),
    };
    const shape = { ...sent, id: expect.any(Number), ...own };
    const created = await environment.sudo.create<Core>('/api/core', sent);
    expect(created).toEqual({ ...shape, warnings: [] });
    expect(JSON.stringify(created.config)).toBe(JSON.stringify(config));
    const path = `/api/core/${created.id}`;
    expect(await environment.sudo.get(path)).toEqual({ ...shape, id: created.id, warnings: [] });

    const changed = { ...sent, name: 'changed', config: configOf(vless('core changed')), exclude_inbound_tags: [] };
    expect(await environment.sudo.modify(path, changed)).toEqual({
      ...shape,
      ...changed,
      id: created.id,
      warnings: [],
    });
    expect(await environment.sudo.get(path)).toEqual({ ...shape, ...changed, id: created.id, warnings: [] });
    expect(await environment.sudo.modify(`${path}?restart_nodes=true`, { ...changed, name: 'again' })).toMatchObject({
      id: created.id,
      name: 'again',
    });
    expect(await environment.sudo.send('POST', `${path}/restart`)).toMatchObject({ status: 204, body: '' });

    const { count, cores } = await environment.sudo.get<CoreList>('/api/cores');
    expect(cores.map(({ id }) => id)).toEqual([1, core.id, created.id]);
    expect(count).toBe(3);
    await environment.sudo.remove(path);
    await refused('GET', path, undefined, 404, 'Core config not found');
    expect((await environment.sudo.get<CoreList>('/api/cores')).cores.map(({ id }) => id)).toEqual([1, core.id]);
  });

  it('the lists of tags of a core are empty by default', async () => {
    const created = await environment.sudo.create<Core>('/api/core', { name: 'short', config });
    expect(created).toMatchObject({ exclude_inbound_tags: [], fallbacks_inbound_tags: [] });
    await deleteCore(created);
  });

  it.each([
    ['a name of 256 characters', { name: 'n'.repeat(256) }],
    ['a name of 256 characters beyond ASCII', { name: 'ü'.repeat(256) }],
    ['excluded tags of 2,048 characters', { exclude_inbound_tags: longestTags }],
    ['fallback tags of 2,048 characters', { fallbacks_inbound_tags: longestTags }],
  ])('a core with %s is accepted', async (_title, rest) => {
    const created = await environment.sudo.create<Core>('/api/core', { name: 'longest', config, ...rest });
    expect(await environment.sudo.get(`/api/core/${created.id}`)).toMatchObject(rest);
    await deleteCore(created);
  });

  describe.each([
    ['POST', () => '/api/core'],
    ['PUT', (): string => `/api/core/${core.id}`],
  ] as readonly (readonly ['POST' | 'PUT', () => string])[])('%s', (method, path) => {
    it.each([
      ['no name', { name: undefined }, 'name'],
      ['a name that is no text', { name: 5 }, 'name'],
      ['a name of 257 characters', { name: 'n'.repeat(257) }, 'name'],
      ['no config', { config: undefined }, 'config'],
      ['an empty config', { config: {} }, 'config'],
      ['a config that is a list', { config: [config] }, 'config'],
      ['excluded tags of 2,049 characters', { exclude_inbound_tags: tooLongTags }, 'exclude_inbound_tags'],
      ['excluded tags that are no texts', { exclude_inbound_tags: [1] }, 'exclude_inbound_tags'],
      ['fallback tags of 2,049 characters', { fallbacks_inbound_tags: tooLongTags }, 'fallbacks_inbound_tags'],
      ['fallback tags that are no list', { fallbacks_inbound_tags: 'a' }, 'fallbacks_inbound_tags'],
    ])('a core with %s is refused', async (_title, rest, field) => {
      await refused(method, path(), { name: 'refused', config, ...rest }, 422, about(field));
    });

    it('a body that is not JSON is refused', async () => {
      await refused(method, path(), '{"name": ', 422, expect.anything());
    });
  });

  it.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/restart'],
  ] as const)('%s of an unknown core%s answers 404', async (method, action) => {
    const body = method === 'PUT' ? { name: 'nobody', config } : undefined;
    await refused(method, `/api/core/${UNKNOWN}${action}`, body, 404, 'Core config not found');
  });
});
