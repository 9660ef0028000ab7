// Management with its embedded PostgreSQL and a node with its engine, as an operator of one host runs them, with so many users.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { folderSize } from '../../images/src/folder-size.mjs';
import { ChildServer } from '../management/child-server.mjs';
import { seed } from '../management/seed.mjs';
import { freePorts } from '../node/free-ports.mjs';
import { enginePath } from '../node/measure.mjs';
import { API_KEY, BUNDLE, NodeProcess } from '../node/node-process.mjs';
import { configOf } from '../node/users.mjs';
import { allConnected } from '../nodes.mjs';
import { withLoadClient } from '../subscription/load-client-process.mjs';
import { cpuSeconds } from '../subscription/process-figures.mjs';
import { measureBackup } from './backup.mjs';
import { descendantsOf, memoryMegabytes, processorTimes, secondsSince } from './process-tree.mjs';

const DIST = resolve(import.meta.dirname, '../../../apps/management/dist');
const PROTOCOLS = ['vless', 'shadowsocks'];
const ADMIN = { username: 'root', password: randomUUID() };
/** Subscriptions that are fetched before memory is read, so that it is what a used process has. */
const FETCHES = 20_000;
const TOKENS = 1000;

const { createDataSource } = await import(join(DIST, 'app/data-source.js'));
const { runningServerUrl } = await import(join(DIST, 'database/embedded/running-server.js'));
const { createUsagePartition } = await import(join(DIST, 'usage/usage-partitions.js'));

/** Memory and disk in megabytes, and processor time in percent of one processor, of each program; and what a backup takes. */
export async function measure(users, seconds) {
  const folder = await mkdtemp(join(tmpdir(), 'rampart-sizes-'));
  const open = [() => rm(folder, { recursive: true })];
  try {
    const node = await NodeProcess.open(enginePath(), BUNDLE);
    open.unshift(() => node.close());
    const service = await startManagement(folder);
    open.unshift(() => service.close());
    const database = await createDataSource(await runningServerUrl(join(folder, 'postgres'))).initialize();
    open.unshift(() => database.destroy());
    await seed(database, users);
    await prepare(service, database, node);
    const tokens = await tokensOf(service);
    const fetched = await withLoadClient(tokens, async (ask) => {
      const before = cpuSeconds(service.child.pid);
      await ask({ port: service.port, path: '/sub/{token}/links', answers: FETCHES });
      return ((cpuSeconds(service.child.pid) - before) / FETCHES) * 1000;
    });
    const usage = await addHourOfUsage(database);
    const before = programsOf(service.child.pid, node.pid).map(({ pids }) => processorTimes(pids));
    await wait(seconds * 1000);
    const rows = programsOf(service.child.pid, node.pid).map(({ what, pids }, index) => ({
      what,
      memory: memoryMegabytes(pids),
      processor: (secondsSince(before[index], pids) / seconds) * 100,
    }));
    const [, server, own] = rows;
    server.disk = folderSize(join(folder, 'postgres')) / 1e6;
    own.disk = folderSize(node.dataDir) / 1e6;
    const [{ served }] = await database.query(
      `SELECT count(*)::integer AS served FROM users WHERE status IN ('active', 'on_hold')`,
    );
    return { rows, fetched, usage, served, backup: await measureBackup(folder) };
  } finally {
    for (const close of open) await close();
  }
}

function programsOf(management, node) {
  return [
    { what: 'management', pids: [management] },
    { what: 'PostgreSQL', pids: descendantsOf(management) },
    { what: 'node', pids: [node] },
    { what: 'its engine', pids: descendantsOf(node) },
  ];
}

async function startManagement(folder) {
  const env = {
    PATH: process.env.PATH,
    RAMPART_DATA_DIR: folder,
    RAMPART_HOST: '127.0.0.1',
    RAMPART_PORT: '0',
    RAMPART_ADMIN_USERNAME: ADMIN.username,
    RAMPART_ADMIN_PASSWORD: ADMIN.password,
  };
  const service = await ChildServer.start([join(DIST, 'bundle/main.cjs')], env, /Ready on http:.*:(\d+)/);
  const { text } = await service.call('POST', '/api/admin/token', ADMIN);
  service.headers = { authorization: `Bearer ${JSON.parse(text).access_token}` };
  return service;
}

/** Gives all users two inbounds on the node, and waits until it has them. */
async function prepare(service, database, node) {
  const config = configOf(PROTOCOLS, await freePorts(PROTOCOLS.length));
  await service.call('PUT', '/api/core/1', { name: 'sizes', config });
  await database.query('DELETE FROM hosts');
  for (const tag of PROTOCOLS)
    await service.call('POST', '/api/host', {
      remark: `${tag} {USERNAME}`,
      inbound_tag: tag,
      priority: 1,
      address: ['a.example'],
    });
  await database.query('UPDATE groups SET inbound_tags = $1', [PROTOCOLS]);
  await service.call('POST', '/api/node', {
    name: 'sizes',
    address: '127.0.0.1',
    port: node.port,
    connection_type: 'grpc',
    server_ca: node.ca,
    keep_alive: 60,
    core_config_id: 1,
    api_key: API_KEY,
  });
  await allConnected(service);
}

async function tokensOf(service) {
  const { text } = await service.call('GET', `/api/users?load_sub=true&limit=${TOKENS}`);
  return JSON.parse(text).users.map((user) => user.subscription_url.split('/').at(-1));
}

/** Adds the usage of one hour of all users. @returns the bytes on the disk for one user in one hour */
async function addHourOfUsage(database) {
  await createUsagePartition(database.manager, new Date());
  await database.query(
    `INSERT INTO node_user_usages (user_id, hour, node_id, used_traffic)
     SELECT id, date_trunc('hour', now()), 1, id * 1000 FROM users`,
  );
  const [{ bytes }] = await database.query(
    `SELECT sum(pg_total_relation_size(relid)) / (SELECT count(*) FROM users) AS bytes
     FROM pg_partition_tree('node_user_usages') WHERE isleaf`,
  );
  return Number(bytes);
}
