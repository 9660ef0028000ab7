import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { newProxySettings, type ProxySettings } from '@rampart/domain';
import { DataSource } from 'typeorm';
import { ManagementError } from '../errors/management-error.js';
import { NodeRepository } from '../nodes/store/node.repository.js';
import { SettingsService } from '../settings/settings.service.js';
import {
  endProbeUsers,
  extendProbeUser,
  isProbeUserOver,
  type ServedProbeUser,
  serveProbeUser,
} from '../user-store/served/probe-user.js';
import { ProbeTiming } from './probe-timing.js';

const POLL_MS = 50;

/**
 * Serves the users with which hosts are probed: one for each round, with credentials of its own, on the inbounds of its hosts
 * alone. Nodes have it during the round, so that none can use the credentials afterwards or elsewhere.
 */
@Injectable()
export class ProbeUserService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Probes');
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly settings: SettingsService,
    private readonly timing: ProbeTiming,
  ) {}

  /** Ends the wait for nodes. */
  beforeApplicationShutdown(): void {
    this.stopping.abort(new Error('management is shutting down'));
  }

  /**
   * Has nodes serve a user during the work, which begins when those that are connected do, or after a moment.
   *
   * @param inboundTags of the hosts that are probed
   */
  async serveDuring<T>(inboundTags: readonly string[], work: (credentials: ProxySettings) => Promise<T>): Promise<T> {
    const { userSeconds } = this.timing;
    const { revision, proxySettings } = await this.serve(inboundTags);
    const extend = () =>
      extendProbeUser(this.database.manager, revision, userSeconds).catch(({ message }: Error) =>
        this.logger.warn(`the user of probes was not extended: ${message}`),
      );
    const timer = setInterval(extend, userSeconds * 500);
    try {
      await this.waitForNodes(revision);
      return await work(proxySettings);
    } finally {
      clearInterval(timer);
      // Where this fails, the user ends by its time.
      await this.database
        .transaction((manager) => endProbeUsers(manager, revision))
        .catch(({ message }: Error) => this.logger.warn(`the user of probes was not ended: ${message}`));
    }
  }

  /** Removes users from the nodes whose time is over. */
  async endIfOver(): Promise<void> {
    const { database } = this;
    if (await isProbeUserOver(database.manager)) await database.transaction((manager) => endProbeUsers(manager));
  }

  private async serve(inboundTags: readonly string[]): Promise<ServedProbeUser> {
    const { default_flow: flow, default_method: method } = await this.settings.general();
    const credentials = newProxySettings(randomBytes, { flow, method });
    const served = await this.database.transaction((manager) =>
      serveProbeUser(manager, inboundTags, this.timing.userSeconds, credentials),
    );
    if (!served) throw new ManagementError('TOO_MANY_PROBES', undefined, { 'retry-after': '10' });
    return served;
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
