#!/usr/bin/env node
import 'reflect-metadata';
import { ConsoleLogger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Certificate, listen, runProgram, watchCertificate, withoutWiringLines } from '@rampart/program';
import { type NodeEnv, nodeHelp, readNodeEnv } from './env/node-env.js';
import { createNodeApp, portOf } from './node.app.js';
import { loadCertificate, type NodeCertificate, readCertificates } from './tls/certificate.js';

const TRANSPORT_NAMES = { both: 'REST and gRPC', rest: 'REST', grpc: 'gRPC' };

/** Plain lines on a terminal, JSON lines elsewhere. */
const logger = withoutWiringLines(new ConsoleLogger({ prefix: 'rampart-node', json: !process.stdout.isTTY }));

interface Node {
  env: NodeEnv;
  certificate: NodeCertificate;
  app: NestFastifyApplication;
  close(): Promise<void>;
}

async function start(): Promise<Node> {
  const env = readNodeEnv();
  const certificate = await loadCertificate(env);
  if (certificate.fresh) {
    logger.log(
      `Made a self-signed certificate. Management knows the node by it, or by its SHA-256:\n${certificate.cert}`,
      'Node',
    );
  }
  const app = await createNodeApp(env, certificate, { logger });
  const endWatch = watchCertificate<Certificate>({
    current: certificate,
    load: () => readCertificates(env),
    apply: (changed) => portOf(app).useCertificate(changed),
    log: (line) => logger.log(line, 'Node'),
    warn: (line) => logger.warn(line, 'Node'),
  });
  const close = (): Promise<void> => {
    endWatch();
    return app.close();
  };
  return { env, certificate, app, close };
}

async function open({ env, certificate, app }: Node): Promise<void> {
  const address = await listen(app, env.address);
  logger.log(
    `Ready for ${TRANSPORT_NAMES[env.protocol]} on ${address}, certificate SHA-256 ${certificate.fingerprint256}`,
    'Node',
  );
}

if (process.argv.includes('--help')) console.log(nodeHelp());
else runProgram(start, open);
