import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { done, failed, RampartFixture, runRampart } from './testing/run-rampart.js';

const PASSWORD = 'correct horse battery';

let rampart: RampartFixture;
let management: TestManagement;
beforeAll(async () => {
  rampart = await RampartFixture.start();
  management = rampart.management;
}, 60_000);
afterAll(() => rampart?.close());

const run: RampartFixture['run'] = (...command) => rampart.run(...command);

const lastEntry = async () => {
  const [entry] = await management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
  const { actor, actorId, address, action, target } = entry ?? {};
  return { actor, actorId, address, action, target };
};

describe('rampart', () => {
  it('prints its version', async () => {
    expect(await run('--version')).toEqual(done(`${MANAGEMENT_VERSION}\n`));
  });

  it('prints all subjects with --help, and the verbs of one', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Usage: rampart \[options\] \[command\]\n\nCommands for operators of Rampart management\.\n/,
    );
    expect(stdout).toMatch(/^ {2}admin +admins, who use the API and the dashboard$/m);
    expect(stdout).toMatch(
      /^Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 3 the service cannot be reached\.$/m,
    );
    const { stdout: verbs } = await run('admin --help');
    expect(verbs).toMatch(
      /^ {2}disable <username> +refuse logins and tokens of an admin; its users are still served$/m,
    );
  });

  it.each([
    ['admin delete anna', "error: unknown command 'delete'\n(add --help for what is possible)\n"],
    ['admin create', "error: missing required argument 'username'\n(add --help for what is possible)\n"],
    ['admin create --root anna', "error: unknown option '--root'\n(add --help for what is possible)\n"],
    [
      'admin create anna secret',
      "error: too many arguments for 'create'. Expected 1 argument but got 2.\n(add --help for what is possible)\n",
    ],
    [
      'admin token root',
      "error: required option '--name <purpose>' not specified\n(add --help for what is possible)\n",
    ],
    ['admn list', "error: unknown command 'admn'\n(Did you mean admin?)\n(add --help for what is possible)\n"],
  ])('refuses "%s" as wrong usage', async (words, stderr) => {
    expect(await run(words)).toEqual({ code: 2, stdout: '', stderr });
  });

  it('says where it looked for a service that does not run', async () => {
    const settings = { RAMPART_DATA_DIR: '/nonexistent' };
    const message =
      '/nonexistent/control.sock: no management answers there. Is it running, and is RAMPART_DATA_DIR the same as for the service? (ENOENT)';
    expect(await run('admin list', '', settings)).toEqual({ code: 3, stdout: '', stderr: `${message}\n` });
    const { code, stdout, stderr } = await run('--json admin list', '', settings);
    expect([code, stdout, JSON.parse(stderr)]).toEqual([3, '', { error: message, code: null }]);
  });

  it('takes the path of the socket as an option', async () => {
    const there = await run(`--socket ${management.folder}/control.sock admin list`, '', {
      RAMPART_DATA_DIR: '/nowhere',
    });
    expect(there).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('rampart admin', () => {
  it('creates sudo and plain admins, who can log in', async () => {
    expect(await run('admin create --sudo anna', `${PASSWORD}\n`)).toEqual(done('Created the sudo admin anna\n'));
    expect(await lastEntry()).toEqual({
      actor: 'local',
      actorId: null,
      address: 'local',
      action: 'admin.create',
      target: 'admin/anna',
    });
    const settings = { RAMPART_ADMIN_PASSWORD: PASSWORD };
    expect(await run('admin create berta', '', settings)).toEqual(done('Created the admin berta\n'));
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
    await run('admin create clara', PASSWORD);
    const token = await management.login('clara', PASSWORD);
    expect(await run('admin password clara', 'another horse battery')).toEqual(done('Changed the password of clara\n'));
    expect((await management.call('GET', '/api/admin', undefined, token)).status).toBe(401);
    const renewed = await management.login('clara', 'another horse battery');
    expect((await management.call('GET', '/api/admin', undefined, renewed)).status).toBe(200);
  });

  it('disables and enables an admin, whose logins and tokens are refused meanwhile', async () => {
    await run('admin create dora', PASSWORD);
    const { stdout } = await run('admin token dora --name bot');
    const self = () => management.call('GET', '/api/admin', undefined, stdout.trim());
    expect((await self()).status).toBe(200);
    expect(await run('admin disable dora')).toEqual(done('Disabled the admin dora\n'));
    expect((await self()).status).toBe(401);
    const login = { username: 'dora', password: PASSWORD };
    expect((await management.call('POST', '/api/admin/token', login, '')).status).toBe(403);
    expect(await run('admin enable dora')).toEqual(done('Enabled the admin dora\n'));
    expect((await self()).status).toBe(200);
  });

  it('creates tokens with a scope and an end', async () => {
    expect((await run('admin token root --name bot')).stdout).toMatch(/^rampart_[\w-]{43}\n$/);
    expect(await rampart.jsonOf('admin token root --name shop --grant identity secrets')).toMatchObject({
      scope: 'all',
      grants: ['identity', 'secrets'],
    });
    const end = new Date(Date.now() + 86_400_000).toISOString();
    const options = `--scope read --grant secrets --network 192.0.2.0/24 127.0.0.1 --expires ${end}`;
    expect(await rampart.jsonOf(`admin token root --name reader ${options}`)).toMatchObject({
      admin: 'root',
      name: 'reader',
      scope: 'read',
      grants: ['secrets'],
      allowed_networks: ['192.0.2.0/24', '127.0.0.1'],
      expires_at: end,
      token: expect.stringMatching(/^rampart_/),
    });
  });

  it('lists admins as a table and as JSON', async () => {
    await management.database.query("DELETE FROM admins WHERE username <> 'root'");
    await run('admin create zoe', PASSWORD);
    await run('admin disable zoe');
    await management.database.query("UPDATE admins SET used_traffic = 1610612736 WHERE username = 'zoe'");
    expect(await run('admin list')).toEqual(
      done(
        [
          'USERNAME  LEVEL  STATE     USERS  TRAFFIC',
          'root      sudo   enabled   0      0 B',
          'zoe       admin  disabled  0      1.5 GB',
          '',
        ].join('\n'),
      ),
    );
    expect(await rampart.jsonOf('admin list')).toEqual(
      (await management.call('GET', '/api/admins?sort=username')).body,
    );
  });

  it.each([
    ['admin create root', PASSWORD, 'Admin already exists\n'],
    ['admin create an', PASSWORD, 'username: Username must be 3-128 characters of a-z, A-Z, 0-9, -, _, @ and .\n'],
    ['admin create local', PASSWORD, 'username: Username must not be local\n'],
    ['admin create new-one', 'short', 'password: Password must have at least 12 characters\n'],
    [
      'admin create new-one',
      'new-one-2026',
      'password: Password must not be a common one, nor made of names, repetitions or sequences\n',
    ],
    ['admin create new-one', '', 'password: Password must have at least 12 characters\n'],
    ['admin password nobody', PASSWORD, 'Admin not found\n'],
    ['admin totp-reset nobody', '', 'Admin not found\n'],
    ['admin totp-reset root', '', 'There is no second factor\n'],
    ['admin disable root', '', 'The last enabled sudo admin cannot be demoted, disabled or deleted\n'],
    ['admin token nobody --name x', '', 'Admin not found\n'],
    ['admin token local --name x', '', 'The control socket belongs to no admin: name one\n'],
    ['admin token root --name x --scope no', '', "scope: Input should be one of 'read', 'users', 'all'\n"],
    ['admin token root --name x --scope read --grant identity', '', 'grants: The grant identity needs the scope all\n'],
    ['admin token root --name x --expires 2001-01-01', '', 'expires_at: Input should be a moment in the future\n'],
  ])('prints why "%s" is refused', async (words, input, stderr) => {
    const before = (await management.call('GET', '/api/admins')).body;
    expect(await run(words, input)).toEqual(failed(stderr));
    expect((await management.call('GET', '/api/admins')).body).toEqual(before);
  });

  it('prints a refusal with its code as JSON', async () => {
    const { code, stdout, stderr } = await run('admin disable root --json');
    expect([code, stdout, JSON.parse(stderr)]).toEqual([
      1,
      '',
      {
        error: 'The last enabled sudo admin cannot be demoted, disabled or deleted',
        code: 'ADMIN_IS_LAST_SUDO',
      },
    ]);
  });
});

describe('rampart keys forget', () => {
  it('does not touch the embedded database of a running service', async () => {
    const embedded = await TestManagement.start({ DATABASE_URL: '' });
    try {
      const settings = { RAMPART_DATA_DIR: embedded.folder };
      const { code, stdout, stderr } = await runRampart(['keys', 'forget'], settings);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/is in use by another Rampart management \(process \d+\)\. Stop that one first/);
      expect((await embedded.call('POST', '/api/admin/token', SUDO, '')).status).toBe(200);
    } finally {
      await embedded.close();
    }
  });
});
