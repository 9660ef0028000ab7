#!/usr/bin/env node
import 'reflect-metadata';
import { listen, runProgram } from '@rampart/program';
import { type ManagementEnv, managementHelp, readManagementEnv } from './env/management-env.js';
import { createManagementApp, type ManagementApp } from './management.app.js';
import { QuietLogger } from './quiet-logger.js';

type Management = ManagementApp & { env: ManagementEnv };

const logger = new QuietLogger();

async function start(): Promise<Management> {
  const env = readManagementEnv();
  return { env, ...(await createManagementApp(env, logger)) };
}

async function open({ app, env }: Management): Promise<void> {
  const address = await listen(app, env.address);
  logger.log(`Ready on http://${address}`, 'Management');
}

if (process.argv.includes('--help')) console.log(managementHelp());
else runProgram(start, open);
