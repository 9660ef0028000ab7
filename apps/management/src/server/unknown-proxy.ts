import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';

/**
 * Warns once about a proxy that no setting names. Without the setting, twenty failed logins of one of its clients make
 * all of them wait.
 */
export function warnOfUnknownProxy(server: FastifyInstance): void {
  let hasWarned = false;
  server.addHook('onRequest', ({ ip, headers }, _reply, done) => {
    if (!hasWarned && headers['x-forwarded-for'] !== undefined && isNear(ip)) {
      hasWarned = true;
      new Logger('Http').warn(
        `${ip} sends X-Forwarded-For, but RAMPART_TRUSTED_PROXIES does not name it: its clients count as one`,
      );
    }
    done();
  });
}

/** Whether the address is private: any client on the internet can send the same header. */
const isNear = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.process(ip).range() !== 'unicast';
