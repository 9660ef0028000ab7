import type { Cell, Verdict } from './cell.js';
import type { InboundParts } from './inbound-parts.js';

/** The clients that do not support a cell, each with the reason. All other clients pass. */
export interface Lacks {
  readonly singBox?: string;
  readonly mihomo?: string;
  /** The reason why mihomo does not read this from a link, although it reads it from a profile. */
  readonly mihomoLinks?: string;
  readonly firstClash?: string;
}

/** The clients whose document contains the cell because the operator asked for it, although they do not connect. */
export type Written = Pick<Lacks, 'singBox' | 'mihomo'>;

export function verdictsOf(parts: InboundParts, lacks: Lacks, written: Written = {}): Cell['verdicts'] {
  const { singBox, mihomo, mihomoLinks, firstClash } = lacks;
  const ofSingBox = written.singBox === undefined ? passesUnless(singBox) : { written: written.singBox };
  const unread = mihomoLinks ?? mihomo ?? lackOfLinkReader(parts);
  return {
    'Xray, links': 'passes',
    'Xray JSON': 'passes',
    'sing-box 1.14': ofSingBox,
    'sing-box 1.11': ofSingBox,
    mihomo: written.mihomo === undefined ? passesUnless(mihomo) : { written: written.mihomo },
    // Links are written for every app, so they always contain every cell.
    'mihomo, links': unread === undefined ? 'passes' : { written: unread },
    'the first Clash': passesUnless(lackOfFirstClash(parts) ?? firstClash ?? mihomo),
  };
}

const passesUnless = (leftOut: string | undefined): Verdict => (leftOut === undefined ? 'passes' : { leftOut });

/** The reason why the first Clash does not support the parts, if it does not. */
function lackOfFirstClash({ protocol, transport, security }: InboundParts): string | undefined {
  if (protocol.startsWith('vless')) return 'it has no VLESS';
  if (security.startsWith('reality')) return 'it has no REALITY';
  if (/^(xhttp|kcp|httpupgrade)/.test(transport)) return `it has no ${transport.split(' ', 1)[0]}`;
  if (protocol.includes('2022')) return 'it has no Shadowsocks 2022';
  if (protocol === 'shadowsocks' && transport !== 'tcp') return 'its plugin is another program';
  if (transport.startsWith('grpc') && security === 'none') return 'it has gRPC over TLS alone';
  return undefined;
}

/** The reason why mihomo does not read the parts from a link, although it can connect with them. */
function lackOfLinkReader({ protocol, transport, security }: InboundParts): string | undefined {
  if (transport === 'httpupgrade') return 'it reads no httpupgrade from links';
  if (transport.startsWith('kcp')) return 'it reads no masks from links';
  if (protocol === 'shadowsocks' && transport !== 'tcp') return 'it reads no transport from ss links';
  if (protocol === 'trojan' && transport.startsWith('ws')) return 'it reads no host header from trojan links';
  if (!protocol.startsWith('vless') && security.startsWith('reality')) return 'it reads REALITY from vless links alone';
  return undefined;
}
