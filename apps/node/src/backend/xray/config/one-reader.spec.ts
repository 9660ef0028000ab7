import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CoreConfig,
  CoreConfigError,
  engineConfig,
  type Inbound,
  type OfferedInbound,
  parseCoreConfig,
  readConfig,
} from '@rampart/core-config';
import { OFFERED_CONFIGS, REALISTIC_CONFIGS, REFUSED_ACCESS, REFUSED_CONFIGS } from '@rampart/testing';
import fc from 'fast-check';
import { NodeError } from '../../../errors/node-error.js';
import { isObject } from './json-tree.js';
import { readNodeConfig } from './node-config.js';
import { arbitraryConfig } from './testing/arbitrary-config.js';
import { testPair } from './testing/certificate.js';

const CORPUS = [
  ...OFFERED_CONFIGS,
  ...REALISTIC_CONFIGS,
  ...[...REFUSED_CONFIGS, ...REFUSED_ACCESS].map(({ config }) => config),
];
const RUNS = 3000;
const USER_PROTOCOLS = ['vmess', 'vless', 'trojan', 'shadowsocks'];

let certificate: string;
beforeAll(async () => {
  ({ certificate } = await testPair());
});
const readCertificate = () => certificate;

/** Returns the configuration as management reads it when it is saved, or the error with which management refuses it. */
const saved = (text: string): CoreConfig | CoreConfigError => {
  try {
    return parseCoreConfig(text, { readCertificate });
  } catch (error) {
    if (error instanceof CoreConfigError) return error;
    throw error;
  }
};

/** Returns the inbounds that the node reads before its checks, or the error with which it refuses the form. */
const readByNode = (text: string): readonly Inbound[] | NodeError => {
  try {
    return readNodeConfig({ text, excludedInbounds: [] }).inbounds;
  } catch (error) {
    if (error instanceof NodeError && error.code === 'CONFIG_REFUSED') return error;
    throw error;
  }
};

/** Of protocols that users do not get, management checks the tag only by decision; the node checks their form. */
function isOfOtherProtocol(text: string, tree: CoreConfig['tree']): boolean {
  try {
    readConfig(text);
    return false;
  } catch (error) {
    const [, index] = /^inbounds\[(\d+)\]/.exec((error as CoreConfigError).path) ?? [];
    const { inbounds } = tree;
    const inbound: unknown = Array.isArray(inbounds) ? inbounds[Number(index)] : undefined;
    return isObject(inbound) && !USER_PROTOCOLS.includes(String(inbound['protocol']).toLowerCase());
  }
}

/** The fields of an inbound that both apps must read equally. */
const seenByNode = ({ tag, protocol, network, security, listen, ports, vision }: Inbound) => ({
  ...{ tag, protocol, network, security, isSocket: listen.isSocket },
  ports: listen.isSocket ? [] : ports,
  vision,
});
const seenByManagement = (inbound: OfferedInbound, isSocket: boolean) => ({
  ...{ tag: inbound.tag, protocol: inbound.protocol, network: inbound.network, security: inbound.security, isSocket },
  ports: isSocket ? [] : (inbound.port?.ranges ?? []),
  vision: inbound.protocol === 'vless' && inbound.vision,
});

const tagsOf = (inbounds: unknown): unknown[] => (Array.isArray(inbounds) ? inbounds.map(({ tag }) => tag) : []);

describe('a configuration that management accepts', () => {
  let accepted = 0;

  it('is read by the node to the same inbounds, whatever the case of its keys, its aliases and its comments', () => {
    fc.assert(
      fc.property(arbitraryConfig(CORPUS), (text) => {
        const core = saved(text);
        if (core instanceof CoreConfigError) return;
        accepted += 1;
        const { config, leftOut } = engineConfig(core, readCertificate);
        const sent = JSON.stringify(config);
        const inbounds = readByNode(sent);
        if (inbounds instanceof NodeError) {
          expect({ error: inbounds.message, isTheNodes: isOfOtherProtocol(sent, config) }).toMatchObject({
            isTheNodes: true,
          });
          return;
        }
        const left = new Set(leftOut.map(({ tag }) => tag));
        const known = new Map(inbounds.map((inbound) => [inbound.tag, inbound]));
        const offered = core.inbounds.filter(({ tag }) => !left.has(tag));
        expect(tagsOf(config['inbounds'])).toEqual(
          tagsOf(core.tree['inbounds']).filter((tag) => !left.has(String(tag))),
        );
        for (const inbound of offered) {
          const read = known.get(inbound.tag);
          expect(read && seenByNode(read)).toEqual(seenByManagement(inbound, read?.listen.isSocket ?? false));
        }
      }),
      { numRuns: RUNS, seed: 20_260_327 },
    );
    expect(accepted).toBeGreaterThan(RUNS / 5);
  }, 120_000);

  it('has a form that the node accepts: what it would refuse by its form, management has refused', () => {
    let refused = 0;
    fc.assert(
      fc.property(arbitraryConfig(CORPUS), (text) => {
        const inbounds = readByNode(text);
        if (!(inbounds instanceof NodeError)) return;
        refused += 1;
        const core = saved(text);
        if (core instanceof CoreConfigError) return;
        expect({ error: inbounds.message, isTheNodes: isOfOtherProtocol(text, core.tree) }).toMatchObject({
          isTheNodes: true,
        });
      }),
      { numRuns: RUNS, seed: 20_260_327 },
    );
    expect(refused).toBeGreaterThan(RUNS / 5);
  }, 120_000);
});
