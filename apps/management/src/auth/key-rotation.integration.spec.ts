import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AtRestCipher } from '../keys/at-rest-cipher.js';
import { sealingContext } from '../nodes/connection/node-connector.js';
import { Node } from '../nodes/store/node.entity.js';
import { createDatabase } from '../testing/migrated-database.js';
import { SUDO, TestManagement } from '../testing/test-management.js';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const NODE = {
  address: 'node.invalid',
  port: 1,
  connectionType: 'grpc',
  serverCa: '',
  keepAlive: 0,
  status: 'disabled',
} as const;
const API_KEY = 'a node key that nobody else knows';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = (await createDatabase('migrated')).url;
});

/** Runs `work` with a management that uses this key, and this previous key, for all three purposes. */
async function withKeys<T>(key: Buffer, previous: Buffer | undefined, work: (own: TestManagement) => Promise<T>) {
  const names = ['RAMPART_JWT_KEY', 'RAMPART_SUBSCRIPTION_KEY', 'RAMPART_AT_REST_KEY'];
  const management = await TestManagement.start({
    DATABASE_URL: databaseUrl,
    ...Object.fromEntries(names.map((name) => [name, key.toString('base64')])),
    ...(previous && Object.fromEntries(names.map((name) => [`${name}_PREVIOUS`, previous.toString('base64')]))),
  });
  try {
    return await work(management);
  } finally {
    await management.close();
  }
}

/** Whether an earlier token and subscription URL are still accepted, and which key opens the sealed API key. */
async function answers(management: TestManagement, token: string, path: string) {
  const { manager } = management.database;
  const { id, apiKeyEncrypted: sealed } = await manager.findOneByOrFail(Node, { id: 7 });
  return {
    admin: (await management.call('GET', '/api/admin', undefined, token)).status,
    subscription: (await management.call('GET', path, undefined, '')).status,
    newKeyOpens: opens(new AtRestCipher(NEW), sealed, sealingContext(id)),
    oldKeyOpens: opens(new AtRestCipher(OLD), sealed, sealingContext(id)),
  };
}

function opens(cipher: AtRestCipher, sealed: Buffer, owner: string): boolean {
  try {
    return cipher.open(sealed, owner) === API_KEY;
  } catch {
    return false;
  }
}

describe('a new key', () => {
  it('security row 5: invalidates nothing while the previous key is configured, and afterwards all that it signed', async () => {
    const { token, path } = await withKeys(OLD, undefined, async (management) => {
      const { body } = await management.call('POST', '/api/user', { username: 'anna' });
      const path = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
      const apiKeyEncrypted = management.app.get(AtRestCipher).seal(API_KEY, sealingContext(7));
      // The second node has the key of the first, sealed for another row: it cannot be opened and must be skipped.
      await management.database.manager.insert(
        Node,
        [7, 8].map((id) => ({ ...NODE, id, name: `node ${id}`, apiKeyEncrypted })),
      );
      const token = await management.login(SUDO.username, SUDO.password);
      expect(await answers(management, token, path)).toEqual({
        admin: 200,
        subscription: 200,
        newKeyOpens: false,
        oldKeyOpens: true,
      });
      return { token, path };
    });

    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const renewed = await withKeys(NEW, OLD, async (management) => {
      expect(warn.mock.calls.filter(([line]) => /API keys of nodes/.test(line))).toEqual([
        [expect.stringMatching(/^1 API keys of nodes do not open: /)],
      ]);
      warn.mockRestore();
      expect(await answers(management, token, path)).toEqual({
        admin: 200,
        subscription: 200,
        newKeyOpens: true,
        oldKeyOpens: false,
      });
      return management.login(SUDO.username, SUDO.password);
    });

    await withKeys(NEW, undefined, async (management) => {
      expect(await answers(management, token, path)).toEqual({
        admin: 401,
        subscription: 404,
        newKeyOpens: true,
        oldKeyOpens: false,
      });
      expect((await management.call('GET', '/api/admin', undefined, renewed)).status).toBe(200);
    });
  });
});
