#!/usr/bin/env node
import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type Certificate,
  listen,
  listenForMetrics,
  type MetricsServer,
  OwnLines,
  ProgramLogger,
  runProgram,
  watchCertificate,
  withoutWiringLines,
} from '@rampart/program';
import { createNodeApp, portOf } from './app/node.app.js';
import { type NodeEnv, nodeHelp, nodeSecrets, readNodeEnv } from './env/node-env.js';
import { callId } from './logs/call-id.js';
import { createMetricsServer, createNodeMetrics } from './metrics/node-metrics-server.js';
import { NodeService } from './node.service.js';
import { loadCertificate, type NodeCertificate, readCertificates } from './tls/certificate.js';
import { nodeLine } from './tls/node-line.js';

/** Exit code of a node from which another one has taken over; deploy/node-supervisor.sh waits for its engine then. */
const TAKEN_OVER = 76;

const TRANSPORT_NAMES = { both: 'REST and gRPC', rest: 'REST', grpc: 'gRPC' };

interface Node {
  env: NodeEnv;
  logger: ProgramLogger;
  certificate: NodeCertificate;
  app: NestFastifyApplication;
  metricsServer: MetricsServer | undefined;
  close(signal?: NodeJS.Signals): Promise<void>;
}

async function start(): Promise<Node> {
  const env = readNodeEnv();
  const { logLevel, logFormat } = env;
  const logger = withoutWiringLines(
    new ProgramLogger({ logLevel, logFormat, secrets: nodeSecrets(env), requestId: callId }),
  );
  const certificate = await loadCertificate(env);
  if (certificate.fresh) {
    const made = 'Made a self-signed certificate. Management knows the node by it, or by its SHA-256:';
    logger.log(new OwnLines(`${made}\n${certificate.cert}`), 'Node');
  }
  const metrics = createNodeMetrics(env);
  const app = await createNodeApp(env, certificate, { logger, metrics });
  app.get(NodeService, { strict: false }).whenAskedToLeave(() => {
    logger.log('Another node takes over: this one ends, and leaves it the engine', 'Node');
    process.exitCode = TAKEN_OVER;
    process.kill(process.pid, 'SIGTERM');
  });
  const metricsServer = metrics && createMetricsServer(metrics, app.get(NodeService, { strict: false }).monitor, env);
  if (certificate.enrolled) {
    return { env, logger, certificate, app, metricsServer, close: (signal) => closeBoth(app, metricsServer, signal) };
  }
  const endWatch = watchCertificate<Certificate>({
    current: certificate,
    load: () => readCertificates(env),
    apply: (changed) => portOf(app).useCertificate(changed),
    log: (line) => logger.log(line, 'Node'),
    warn: (line) => logger.warn(line, 'Node'),
  });
  const close = (signal?: NodeJS.Signals): Promise<void> => {
    endWatch();
    return closeBoth(app, metricsServer, signal);
  };
  return { env, logger, certificate, app, metricsServer, close };
}

async function closeBoth(
  app: NestFastifyApplication,
  metricsServer: MetricsServer | undefined,
  signal: NodeJS.Signals | undefined,
): Promise<void> {
  await metricsServer?.close();
  // SIGTERM means that another node may follow; Ctrl-C ends everything.
  if (signal === 'SIGTERM') app.get(NodeService, { strict: false }).leaveEngine();
  await app.close();
}

async function open({ env, logger, certificate, app, metricsServer }: Node): Promise<void> {
  const address = await listen(app, env.address);
  const ready = `Ready for ${TRANSPORT_NAMES[env.protocol]} on ${address}, certificate SHA-256 ${certificate.fingerprint256}`;
  logger.log(new OwnLines(`${ready}\n${acquaintance(certificate, Number(address.split(':').at(-1)))}`), 'Node');
  if (metricsServer) await listenForMetrics(metricsServer, env, logger);
}

/** How management knows this node, or how it can be told. */
function acquaintance({ enrolled, cert }: NodeCertificate, port: number): string {
  if (enrolled) {
    const end = new Date(enrolled.expiresAt * 1000).toISOString();
    return `Enrolled as ${enrolled.identity}; management renews its certificate before ${end}`;
  }
  return `Management adds this node by its API key and this line: ${nodeLine(cert, port)}`;
}

if (process.argv.includes('--help')) console.log(nodeHelp());
else runProgram(start, open);
