#!/usr/bin/env node
import 'reflect-metadata';
import { ConsoleLogger } from '@nestjs/common';
import { listen, runCommand, runProgram, withoutWiringLines } from '@rampart/program';
import { createManagementApp, type ManagementApp } from './app/management.app.js';
import { runAdminCommand } from './cli/admin.command.js';
import { runKeysCommand } from './cli/keys.command.js';
import { type ManagementEnv, readManagementEnv } from './env/management-env.js';
import { managementHelp } from './env/management-help.js';
import { publicUrl, publicUrlWarning } from './http/public-url.js';

type Management = ManagementApp & { env: ManagementEnv };

/** Logs plain lines on a terminal, and JSON lines elsewhere. */
const logger = withoutWiringLines(new ConsoleLogger({ prefix: 'rampart-management', json: !process.stdout.isTTY }));

async function start(): Promise<Management> {
  const env = readManagementEnv();
  return { env, ...(await createManagementApp(env, logger)) };
}

async function open({ app, env }: Management): Promise<void> {
  const address = await listen(app, env.address);
  logger.log(`Ready on ${env.scheme}://${address}`, 'Management');
  const warning = publicUrlWarning(publicUrl(env));
  if (warning !== undefined) logger.warn(warning, 'Management');
}

const words = process.argv.slice(2);
if (words.includes('--help')) console.log(managementHelp());
else if (words[0] === 'keys') runCommand(() => runKeysCommand(words));
else if (words.length > 0) runCommand(() => runAdminCommand(words));
else runProgram(start, open);
