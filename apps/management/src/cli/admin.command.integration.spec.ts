import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorError } from '@rampart/program';
import { Admin } from '../admins/store/admin.entity.js';
import { openDatabase } from '../app/open-database.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { executeAdminCommand, parseAdminCommand, runAdminCommand } from './admin.command.js';

const PASSWORD = 'correct horse battery';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const run = (words: string, password = PASSWORD) => {
  const command = parseAdminCommand(words.split(' '));
  if (!command) throw new Error(`not a command: ${words}`);
  return executeAdminCommand(management.database, command, password);
};

describe('parseAdminCommand', () => {
  it.each([
    ['admin create anna', { verb: 'create', username: 'anna', isSudo: false }],
    ['admin create --sudo anna', { verb: 'create', username: 'anna', isSudo: true }],
    ['admin create anna --sudo', { verb: 'create', username: 'anna', isSudo: true }],
    ['admin password anna', { verb: 'password', username: 'anna', isSudo: false }],
  ])('parses %s', (words, command) => {
    expect(parseAdminCommand(words.split(' '))).toEqual(command);
  });

  it.each([
    'admin',
    'admin create',
    'admin create --sudo',
    'admin create anna secret',
    'admin create --root anna',
    'admin password --sudo anna',
    'admin password',
    'admin delete anna',
    'user create anna',
  ])('refuses %s', async (words) => {
    expect(parseAdminCommand(words.split(' '))).toBeUndefined();
    await expect(runAdminCommand(words.split(' '))).rejects.toThrow(
      new OperatorError(`No such command: ${words}. See rampart-management --help.`),
    );
  });
});

describe('the admin command', () => {
  it('creates sudo and plain admins', async () => {
    expect(await run('admin create --sudo anna')).toBe('Created the sudo admin anna');
    expect(await run('admin create berta')).toBe('Created the admin berta');
    for (const [username, is_sudo] of [
      ['anna', true],
      ['berta', false],
    ] as const) {
      const token = await management.login(username, PASSWORD);
      expect(await management.call('GET', '/api/admin', undefined, token)).toMatchObject({
        status: 200,
        body: { username, is_sudo },
      });
    }
  });

  it('changes a password, which invalidates all tokens', async () => {
    await run('admin create clara');
    const token = await management.login('clara', PASSWORD);
    expect(await run('admin password clara', 'another horse battery')).toBe('Changed the password of clara');
    expect((await management.call('GET', '/api/admin', undefined, token)).status).toBe(401);
    const renewed = await management.login('clara', 'another horse battery');
    expect((await management.call('GET', '/api/admin', undefined, renewed)).status).toBe(200);
  });

  it.each([
    ['admin create root', 'Admin already exists'],
    ['admin password nobody', 'Admin not found'],
  ])('reports why it fails: %s', async (words, message) => {
    const before = await management.database.manager.find(Admin, { order: { id: 'ASC' } });
    await expect(run(words)).rejects.toThrow(new OperatorError(message));
    expect(await management.database.manager.find(Admin, { order: { id: 'ASC' } })).toEqual(before);
  });

  it('does not touch the database of a running service', async () => {
    await expect(openDatabase({ databaseUrl: undefined, dataDir: management.folder }, () => undefined)).rejects.toThrow(
      /is in use by another Rampart management \(process \d+\)\. Stop that one first/,
    );
    expect((await management.call('POST', '/api/admin/token', SUDO, '')).status).toBe(200);
  });
});
