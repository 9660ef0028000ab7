#!/usr/bin/env node
import 'reflect-metadata';
import {
  listen,
  listenForMetrics,
  OperatorError,
  ProgramLogger,
  runCommand,
  runProgram,
  withoutWiringLines,
} from '@rampart/program';
import { requestId } from './access/request-context.js';
import { createManagementApp, type ManagementApp } from './app/management.app.js';
import { type ManagementEnv, managementSecrets, readManagementEnv } from './env/management-env.js';
import { managementHelp } from './env/management-help.js';
import { publicUrl, publicUrlWarning } from './http/public-url.js';

type Management = ManagementApp & { env: ManagementEnv; logger: ProgramLogger };

async function start(): Promise<Management> {
  const env = readManagementEnv();
  const { logLevel, logFormat } = env;
  const logger = withoutWiringLines(
    new ProgramLogger({ logLevel, logFormat, secrets: managementSecrets(), requestId }),
  );
  return { env, logger, ...(await createManagementApp(env, logger)) };
}

async function open({ app, metrics, env, logger, openControlSocket }: Management): Promise<void> {
  const address = await listen(app, env.address);
  await openControlSocket();
  logger.log(`Ready on ${env.scheme}://${address}`, 'Management');
  await listenForMetrics(metrics, env, logger);
  const warning = publicUrlWarning(publicUrl(env));
  if (warning !== undefined) logger.warn(warning, 'Management');
}

const words = process.argv.slice(2);
if (words.includes('--help')) console.log(managementHelp());
else if (words.length === 0) runProgram(start, open);
else
  runCommand(() => {
    throw new OperatorError(
      `rampart-management takes no argument "${words[0]}": commands are part of "rampart --help"`,
    );
  });
