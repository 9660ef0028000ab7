import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Backend, type DeepPartial } from '@rampart/node-client';
import { enginePath, scratchFolder } from '@rampart/testing';
import type { EngineSettings, NodeSettings } from '../../env/node.settings.js';
import { createNodeService } from '../../node.module.js';
import type { NodeService } from '../../node.service.js';
import { decodeBackend, type RawBackend } from '../../wire/raw-messages.js';
import { enginePids } from '../engine-pids.js';

export interface NodeFixture {
  readonly node: NodeService;
  readonly settings: NodeSettings;
  /** Process ids of the engines that run for this node now. */
  enginePids(): Promise<number[]>;
  /** Ends the engine and removes the data directory. */
  close(): Promise<void>;
}

/** Settings with the real engine and a new data directory, which the caller removes. */
export function testSettings(engine: Partial<EngineSettings> = {}): NodeSettings {
  return {
    dataDir: mkdtempSync(join(scratchFolder(), 'rampart-node-')),
    engine: {
      executablePath: enginePath(),
      searchPath: process.env['PATH'] ?? '',
      cacheDir: '',
      environment: {},
      ...engine,
    },
  };
}

/** A NodeService without transports. */
export function createNodeFixture(engine: Partial<EngineSettings> = {}): NodeFixture {
  const settings = testSettings(engine);
  const node = createNodeService(settings);
  return {
    node,
    settings,
    enginePids: () => enginePids(settings.dataDir),
    close: async () => {
      await node.onApplicationShutdown();
      rmSync(settings.dataDir, { recursive: true, force: true });
    },
  };
}

/** A Start request with a configuration object, users and other fields. */
export function startRequest(config: unknown, others: DeepPartial<Backend> = {}): RawBackend {
  return decodeBackend(Backend.encode(Backend.fromPartial({ config: JSON.stringify(config), ...others })).finish());
}
