import type { ProgramMetrics } from '@rampart/program';
import type { Database } from './database.js';

/** Adds how busy the connections to the database are. */
export function addDatabaseMetrics(metrics: ProgramMetrics, database: Database): void {
  const connections = metrics.gauge({
    name: 'rampart_database_connections',
    help: 'Open connections to the database, by pool and by whether they are in use.',
    labelNames: ['pool', 'state'],
  });
  const limit = metrics.gauge({
    name: 'rampart_database_connections_limit',
    help: 'Maximum number of connections of each pool.',
    labelNames: ['pool'],
  });
  const waiting = metrics.gauge({
    name: 'rampart_database_waiting',
    help: 'Requests that wait for a connection of the pool.',
    labelNames: ['pool'],
  });
  const changes = metrics.gauge({
    name: 'rampart_changes',
    help: 'Changes that run now, and changes that wait for their turn.',
    labelNames: ['state'],
  });
  metrics.readAtScrape('pools', [connections, limit, waiting, changes], () => {
    for (const { pool, max, open, idle, waiting: queued } of database.poolFigures) {
      connections.set({ pool, state: 'idle' }, idle);
      connections.set({ pool, state: 'busy' }, open - idle);
      limit.set({ pool }, max);
      waiting.set({ pool }, queued);
    }
    changes.set({ state: 'running' }, database.changeFigures.running);
    changes.set({ state: 'waiting' }, database.changeFigures.waiting);
  });
}
