#!/usr/bin/env node
import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { listen, runProgram } from '@rampart/program';
import { type NodeEnv, nodeHelp, readNodeEnv } from './env/node-env.js';
import { createNodeApp } from './node.app.js';
import { QuietLogger } from './quiet-logger.js';
import { type Certificate, loadCertificate } from './tls/certificate.js';

const DOORS = { both: 'REST and gRPC', rest: 'REST', grpc: 'gRPC' };

const logger = new QuietLogger();

interface Node {
  env: NodeEnv;
  certificate: Certificate;
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
  return { env, certificate, app, close: () => app.close() };
}

async function open({ env, certificate, app }: Node): Promise<void> {
  const address = await listen(app, env.address);
  logger.log(
    `Ready for ${DOORS[env.protocol]} on ${address}, certificate SHA-256 ${certificate.fingerprint256}`,
    'Node',
  );
}

if (process.argv.includes('--help')) console.log(nodeHelp());
else runProgram(start, open);
