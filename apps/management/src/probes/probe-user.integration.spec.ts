import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { until } from '@rampart/testing';
import { DataSource, IsNull, Not } from 'typeorm';
import type { Node } from '../nodes/store/node.entity.js';
import { NodeRepository } from '../nodes/store/node.repository.js';
import { SettingsService } from '../settings/settings.service.js';
import { TestManagement } from '../testing/test-management.js';
import { ProbeUser } from '../user-store/entities/probe-user.entity.js';
import { ProbeTiming } from './probe-timing.js';
import { ProbeUserService } from './probe-user.service.js';

class ShortTiming extends ProbeTiming {
  override readonly userSeconds = 2;
}

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());
afterEach(() => {
  jest.restoreAllMocks();
});

function serviceWith(timing: ProbeTiming): ProbeUserService {
  const { app } = management;
  return new ProbeUserService(app.get(DataSource), app.get(NodeRepository), app.get(SettingsService), timing);
}
const expiry = async () =>
  (await management.database.manager.findOneBy(ProbeUser, { expiresAt: Not(IsNull()) }))?.expiresAt?.getTime() ?? 0;

describe(ProbeUserService, () => {
  it('security row 70: ProbeUserService keeps the user of a round served as long as it lasts, and no longer', async () => {
    const served = serviceWith(new ShortTiming()).serveDuring(['a'], async () => {
      const before = await expiry();
      await until(async (saw) => saw(await expiry()) > before);
      throw new Error('the round has failed');
    });
    await expect(served).rejects.toThrow('the round has failed');
    expect(await expiry()).toBe(0);
  });

  it('ProbeUserService ends users of rounds whose replica has gone', async () => {
    const gone = serviceWith(new ShortTiming());
    await gone.serveDuring(['a'], async () => {
      await management.database.query(
        `UPDATE probe_user SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL`,
      );
      await serviceWith(new ShortTiming()).endIfOver();
      expect(await expiry()).toBe(0);
    });
  });

  it('ProbeUserService waits for no node when management shuts down', async () => {
    const service = serviceWith(new ProbeTiming());
    const behind = { status: 'connected', syncedRevision: -1n } as Node;
    const asked = jest.spyOn(management.app.get(NodeRepository), 'findEnabledNodes').mockResolvedValue([behind]);
    const serving = service.serveDuring(['a'], async () => 'the work');
    const refused = expect(serving).rejects.toThrow('management is shutting down');
    await until((saw) => saw(asked.mock.calls).length > 1);
    service.beforeApplicationShutdown();
    await refused;
  });
});
