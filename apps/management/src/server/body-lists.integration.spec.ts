import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { TestManagement } from '../testing/test-management.js';

const CAPS = ['arrayMaxSize', 'joinedAtMost'];

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const post = (url: string, body: object) => management.call('POST', `/api/${url}`, body);
const refused = (detail: object) => ({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });

describe('security row 24: a list in a request', () => {
  it('a list in a request has a maximum length wherever a request has a list', () => {
    const lists = [...requestClasses()].flatMap((dto) => listsOf(dto));
    expect(lists.length).toBeGreaterThan(20);
    expect(lists.filter(({ capped }) => !capped).map(({ name }) => name)).toEqual([]);
  });

  it('a list in a request has at most 500 elements for users to be created', async () => {
    const count = 'Input should be an integer from 1 to 500';
    const request = { user_template_id: 1, strategy: 'random', count: 501 };
    expect(await post('users/bulk/from_template', request)).toEqual(refused({ count }));
    expect(await management.call('GET', '/api/users')).toEqual({ status: 200, body: { users: [], total: 0 } });
  });

  it.each([
    ['group', { name: 'group', inbound_tags: Array(10_001).fill('Shadowsocks TCP') }, 'inbound_tags', '10000 strings'],
    ['user', { username: 'user', group_ids: Array(10_001).fill(1) }, 'group_ids', '10000 ids'],
    ['user_template', { name: 'template', group_ids: Array(10_001).fill(1) }, 'group_ids', '10000 ids'],
    ['host', { remark: 'h', inbound_tag: 't', priority: 1, alpn: Array(101).fill('h2') }, 'alpn', '100 values'],
    ['host', { remark: 'h', inbound_tag: 't', priority: 1, status: Array(101).fill('active') }, 'status', '100 values'],
    [
      'host',
      { remark: 'h', inbound_tag: 't', priority: 1, noise_settings: { xray: Array(101).fill({}) } },
      'noise_settings.xray',
      '100 objects',
    ],
  ])('a list in a request is refused when it is too long: %s', async (url, request, member, most) => {
    expect(await post(url, request)).toEqual(refused({ [member]: `Input should be a list of at most ${most}` }));
  });
});

/** The class of every body and query that a route takes. */
function requestClasses(): Set<ClassConstructor<object>> {
  const scanner = new MetadataScanner();
  const modules = [...management.app.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) => [...module.controllers.values()]);
  return new Set(
    controllers.flatMap(({ instance }) => {
      const prototype = Object.getPrototypeOf(instance);
      return scanner
        .getAllMethodNames(prototype)
        .flatMap((name) => Reflect.getMetadata('design:paramtypes', prototype, name) ?? []);
    }),
  );
}

/** Returns the lists of a DTO and of its members. */
function listsOf(dto: ClassConstructor<object>): { name: string; capped: boolean }[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))].flatMap((property) => {
    const names = rules.flatMap(({ propertyName, name }) => (propertyName === property ? name : []));
    const list = { name: `${dto.name}.${property}`, capped: CAPS.some((cap) => names.includes(cap)) };
    return [...(names.includes('isArray') ? [list] : []), ...listsOf(classOf(dto, property))];
  });
}

/** Returns the class to which an object in this member is converted. */
function classOf(dto: ClassConstructor<object>, property: string): ClassConstructor<object> {
  const member: unknown = Reflect.get(plainToInstance(dto, { [property]: [{}] }), property);
  return Object([member].flat()[0]).constructor;
}
