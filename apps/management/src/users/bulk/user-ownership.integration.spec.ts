import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BulkFixture } from './testing/bulk-fixture.js';

let fixture: BulkFixture;
beforeAll(async () => {
  fixture = await BulkFixture.start();
});
beforeEach(() => fixture.reset());
afterAll(() => fixture?.close());

const put = (username: string, query: string, token?: string) =>
  fixture.management.call('PUT', `/api/user/${username}/set_owner${query}`, undefined, token);

describe('PUT /api/user/{username}/set_owner', () => {
  it('gives the user to another admin, and changes nothing else', async () => {
    const revision = await fixture.revision();
    const before = await fixture.users();
    expect(await put('user13', '?admin_username=other')).toMatchObject({
      status: 200,
      body: { id: 13, username: 'user13', admin: { id: 3, username: 'other' } },
    });
    expect(await fixture.users()).toEqual(
      before.map((user) => ({ ...user, adminId: user.id === 13 ? 3 : user.adminId })),
    );
    expect(await fixture.revision()).toBe(revision);
    expect(await fixture.management.call('GET', '/api/user/user13', undefined, fixture.plain)).toMatchObject({
      status: 403,
    });
  });

  it('gives a user without an admin to an admin', async () => {
    expect(await put('user17', '?admin_username=plain')).toMatchObject({ status: 200 });
    expect(await fixture.management.call('GET', '/api/user/user17', undefined, fixture.plain)).toMatchObject({
      status: 200,
    });
  });

  it.each([
    ['user13', '?admin_username=nobody', 404, 'Admin not found', 'ADMIN_NOT_FOUND'],
    ['nobody', '?admin_username=other', 404, 'User not found', 'USER_NOT_FOUND'],
    [
      'user13',
      '?admin_username=a%00b',
      422,
      { admin_username: 'contains a NUL character or half a surrogate pair' },
      'INVALID_FIELDS',
    ],
    ['user13', '', 422, { admin_username: 'Field required' }, 'INVALID_FIELDS'],
    [
      'user13',
      `?admin_username=${'x'.repeat(129)}`,
      422,
      { admin_username: 'Input should have at most 128 characters' },
      'INVALID_FIELDS',
    ],
    [
      'user13',
      '?admin_username=a&admin_username=b',
      422,
      { admin_username: 'Input should be a string' },
      'INVALID_FIELDS',
    ],
  ])('refuses %s %s', async (username, query, status, detail, code) => {
    const before = await fixture.users();
    expect(await put(username, query)).toEqual({ status, body: { detail, code } });
    expect(await fixture.users()).toEqual(before);
  });

  it('is for sudo admins only', async () => {
    const before = await fixture.users();
    expect(await put('user13', '?admin_username=other', fixture.plain)).toEqual({
      status: 403,
      body: { detail: "You're not allowed", code: 'FORBIDDEN' },
    });
    expect(await fixture.users()).toEqual(before);
  });
});
