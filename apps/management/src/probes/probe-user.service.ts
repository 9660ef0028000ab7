import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { newProxySettings, type ProxySettings } from '@rampart/domain';
import { DataSource } from 'typeorm';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { NodeRepository } from '../nodes/store/node.repository.js';
import { SettingsService } from '../settings/settings.service.js';
import { endProbeUser, extendProbeUser, isProbeUserOver, serveProbeUser } from '../user-store/served/probe-user.js';
import { ProbeTiming } from './probe-timing.js';

const POLL_MS = 50;

/**
 * Serves the user with which hosts are probed. Nodes have it only while probes run, and it gets new credentials each time, so
 * that a node cannot use them after the probe for which it was given them.
 */
@Injectable()
export class ProbeUserService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Probes');
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: DataSource,
    private readonly catalogue: InboundCatalogue,
    private readonly nodes: NodeRepository,
    private readonly settings: SettingsService,
    private readonly timing: ProbeTiming,
  ) {}

  /** Ends the wait for nodes. */
  beforeApplicationShutdown(): void {
    this.stopping.abort(new Error('management is shutting down'));
  }

  /** Has nodes serve the user, waits a moment until those that are connected do, and keeps it served during the work. */
  async serveDuring<T>(work: (credentials: ProxySettings) => Promise<T>): Promise<T> {
    const { userSeconds } = this.timing;
    const credentials = await this.serve();
    const extend = () =>
      extendProbeUser(this.database.manager, userSeconds).catch(({ message }: Error) =>
        this.logger.warn(`the user of probes was not extended: ${message}`),
      );
    const timer = setInterval(extend, userSeconds * 500);
    try {
      return await work(credentials);
    } finally {
      clearInterval(timer);
    }
  }

  /** Removes the user from the nodes when its time is over. */
  async endIfOver(): Promise<void> {
    if (await isProbeUserOver(this.database.manager)) await this.database.transaction(endProbeUser);
  }

  private async serve(): Promise<ProxySettings> {
    const tags = [...(await this.catalogue.inbounds()).keys()].sort();
    const { default_flow: flow, default_method: method } = await this.settings.general();
    const served = await this.database.transaction((manager) =>
      serveProbeUser(manager, tags, this.timing.userSeconds, () => newProxySettings(randomBytes, { flow, method })),
    );
    await this.waitForNodes(served.revision);
    return served.proxySettings;
  }

  /** A node that does not follow in time is probed all the same: its users would not get through either. */
  private async waitForNodes(revision: bigint): Promise<void> {
    const until = performance.now() + this.timing.userMs;
    while (performance.now() < until) {
      const nodes = await this.nodes.findEnabledNodes(this.database.manager);
      if (nodes.every((node) => node.status !== 'connected' || node.syncedRevision >= revision)) return;
      this.stopping.signal.throwIfAborted();
      await wait(POLL_MS);
    }
  }
}
