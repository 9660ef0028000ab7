import { networkInterfaces } from 'node:os';
import { writeNodeLine } from '@rampart/node-client';
import { reachableHost } from '@rampart/program';

/**
 * The line by which management adds a node that is not enrolled (`rampart node add NAME --line …`).
 *
 * @param cert the certificate of the node in PEM form; of several the first is taken.
 * @param apiKey makes the line a secret; without it `node add` asks for the key.
 */
export const nodeLine = (cert: string, port: number, apiKey?: string): string =>
  writeNodeLine({
    address: reachableHost(networkInterfaces()).replace(/^\[|\]$/g, ''),
    port,
    certificate: cert,
    ...(apiKey !== undefined && { apiKey }),
  });
