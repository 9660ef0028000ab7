import { ConsoleLogger } from '@nestjs/common';
import { isWiring } from '@rampart/program';

/** Lines for people on a terminal, JSON lines elsewhere. */
export class QuietLogger extends ConsoleLogger {
  constructor() {
    super({ prefix: 'rampart-node', json: !process.stdout.isTTY });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!isWiring(rest)) super.log(message, ...rest);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (!isWiring(rest)) super.error(message, ...rest);
  }
}
