import { OperatorError } from '@rampart/program';
import type { DataSource } from 'typeorm';
import { AdminService } from '../admins/admin.service.js';
import { PasswordHasher } from '../admins/passwords/password-hasher.js';
import { AdminRepository } from '../admins/store/admin.repository.js';
import { openDatabase } from '../app/open-database.js';
import { readAdminCommandEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';
import { readPassword } from './read-password.js';

export interface AdminCommand {
  verb: 'create' | 'password';
  username: string;
  isSudo: boolean;
}

/** Parses `admin create [--sudo] <username>` and `admin password <username>`; undefined for any other arguments. */
export function parseAdminCommand(words: readonly string[]): AdminCommand | undefined {
  const [subject, verb, ...rest] = words;
  const isSudo = verb === 'create' && rest.includes('--sudo');
  const [username, ...others] = isSudo ? rest.filter((word) => word !== '--sudo') : rest;
  if (subject !== 'admin' || (verb !== 'create' && verb !== 'password')) return undefined;
  if (username === undefined || username.startsWith('--') || others.length > 0) return undefined;
  return { verb, username, isSudo };
}

/** Runs the command on the database of the service and returns a sentence that says what was done. */
export async function runAdminCommand(words: readonly string[]): Promise<string> {
  const command = parseAdminCommand(words);
  if (!command) throw new OperatorError(`No such command: ${words.join(' ')}. See rampart-management --help.`);
  const { env, password } = await readAdminCommandEnv(command.username, readPassword);
  const { dataSource, close } = await openDatabase(env, () => undefined);
  try {
    return await executeAdminCommand(dataSource, command, password);
  } finally {
    await close();
  }
}

/** @throws OperatorError with the message that a caller of the API would get */
export async function executeAdminCommand(
  database: DataSource,
  { verb, username, isSudo }: AdminCommand,
  password: string,
): Promise<string> {
  const admins = new AdminService(database, new AdminRepository(), new PasswordHasher());
  try {
    if (verb === 'password') {
      await admins.modify(username, { password });
      return `Changed the password of ${username}`;
    }
    await admins.create({ username, password, is_sudo: isSudo });
    return `Created the ${isSudo ? 'sudo admin' : 'admin'} ${username}`;
  } catch (error) {
    throw error instanceof ManagementError ? new OperatorError(error.message) : error;
  }
}
