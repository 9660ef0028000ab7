import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { until } from '@rampart/testing';
import { DataSource } from 'typeorm';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
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
  return new ProbeUserService(
    app.get(DataSource),
    app.get(InboundCatalogue),
    app.get(NodeRepository),
    app.get(SettingsService),
    timing,
  );
}
const expiry = async () => (await management.database.manager.findOneByOrFail(ProbeUser, {})).expiresAt?.getTime() ?? 0;

describe(ProbeUserService, () => {
  it('ProbeUserService keeps the user served as long as a round lasts, and no longer', async () => {
    const [first, later] = await serviceWith(new ShortTiming()).serveDuring(async () => {
      const before = await expiry();
      await until(async () => (await expiry()) > before);
      return [before, await expiry()];
    });
    expect(later).toBeGreaterThan(first!);
    expect(await expiry()).toBe(later);
    await until(async () => (await expiry()) < Date.now());
    await serviceWith(new ShortTiming()).endIfOver();
    expect(await expiry()).toBe(0);
  });

  it('ProbeUserService waits for no node when management shuts down', async () => {
    const service = serviceWith(new ProbeTiming());
    const behind = { status: 'connected', syncedRevision: -1n } as Node;
    const asked = jest.spyOn(management.app.get(NodeRepository), 'findEnabledNodes').mockResolvedValue([behind]);
    const serving = service.serveDuring(async () => 'the work');
    const refused = expect(serving).rejects.toThrow('management is shutting down');
    await until(() => asked.mock.calls.length > 1);
    service.beforeApplicationShutdown();
    await refused;
  });
});
