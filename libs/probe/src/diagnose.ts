import { NOT_PUBLIC, type ProbeResult } from './probe-result.js';

/** What is wrong with a host, as a name that stays the same. */
export const PROBE_PROBLEMS = [
  'settings_refused',
  'name_not_found',
  'private_address',
  'closed_port',
  'blocked_address',
  'wrong_server_name',
  'expired_certificate',
  'untrusted_certificate',
  'wrong_key',
  'tls_refused',
  'wrong_path',
  'no_answer',
  'target_refused',
  'download_broken',
] as const;
export type ProbeProblem = (typeof PROBE_PROBLEMS)[number];

/** What was probed, as far as the advice names it. */
export interface ProbedHost {
  /** As the host has it: a name or an IP address. */
  readonly address: string;
  readonly port: number;
  /** The name is empty where none is sent. */
  readonly serverName: string;
  readonly security: 'none' | 'tls' | 'reality';
  /** The URL that was fetched. */
  readonly url: string;
  /** The program that probed, such as `the node paris`. */
  readonly prober: string;
}

export interface Diagnosis {
  readonly problem: ProbeProblem;
  /** What an operator should do, in whole sentences. */
  readonly advice: string;
}

/** What is wrong, and what to do about it; undefined: the host works. */
export function diagnose({ stage, error, httpStatus }: ProbeResult, host: ProbedHost): Diagnosis | undefined {
  const seen = problemOf(stage, error, httpStatus);
  // With REALITY, the certificate of its target is seen only where the key does not fit.
  const isTargets = seen === 'untrusted_certificate' || seen === 'expired_certificate';
  const problem = host.security === 'reality' && isTargets ? 'wrong_key' : seen;
  return problem && { problem, advice: ADVICE[problem](host, error) };
}

function problemOf(stage: ProbeResult['stage'], error: string, httpStatus: number): ProbeProblem | undefined {
  switch (stage) {
    case 'done':
      return httpStatus >= 400 ? 'target_refused' : undefined;
    case 'settings':
      return 'settings_refused';
    case 'address':
      return error.includes(NOT_PUBLIC) ? 'private_address' : 'name_not_found';
    case 'download':
      return 'download_broken';
    case 'handshake':
      return SAID.find(([pattern]) => pattern.test(error))?.[1] ?? 'blocked_address';
    case 'answer':
      return SAID.find(([pattern]) => pattern.test(error))?.[1] ?? 'no_answer';
  }
}

/** Words of the client. The first that match decide. */
const SAID: readonly (readonly [RegExp, ProbeProblem])[] = [
  [/received real certificate|REALITY: (processed )?invalid/i, 'wrong_key'],
  [/certificate has expired|is not yet valid/, 'expired_certificate'],
  [/certificate is (not )?valid for|doesn't contain any IP SANs|not valid for any names/, 'wrong_server_name'],
  [/x509|unknown authority|peer cert|certificate (signed|verify)/i, 'untrusted_certificate'],
  [/unrecognized name/, 'wrong_server_name'],
  [/remote error: tls|tls: |handshake failure|first record does not look like a TLS handshake/, 'tls_refused'],
  // A number after a point or a colon may be part of an address or a port.
  [
    /bad handshake|unexpected (status|response)|unrecognized reply|bad status|status code:? ?[345]\d\d|(?<![\w.:])404\b/,
    'wrong_path',
  ],
  [/connection refused/, 'closed_port'],
];

const at = ({ address, port }: ProbedHost) => `port ${port} of ${address}`;

const ADVICE: Readonly<Record<ProbeProblem, (host: ProbedHost, error: string) => string>> = {
  settings_refused: () =>
    'The client does not accept these settings. Correct the host or its inbound where the error points to.',
  name_not_found: ({ address }) =>
    `The name ${address} has no address. Create its DNS record, or correct the address of the host.`,
  private_address: ({ address, prober }) =>
    `${address} leads into a private network, which probes do not enter. Give the host its public address; where clients are in that network too, name it in RAMPART_PROBE_NETWORKS of ${prober}.`,
  closed_port: (host) =>
    `Nothing listens on ${at(host)}. Check that the node runs, that the port of the host is that of its inbound, and that a firewall or port forwarding lets it through.`,
  blocked_address: (host) =>
    `${at(host)} did not answer from here. Open the port in the firewall of the server; where it answers from elsewhere, the address is blocked on the way: give the host another one.`,
  wrong_server_name: ({ serverName, address }) =>
    `The certificate of the server is not for the name ${serverName || address}. Set the SNI of the host to a name in the certificate, or use a certificate that has this name.`,
  expired_certificate: () =>
    'The certificate of the server has expired, or is not valid yet. Renew it in the core, and check the clock of the server.',
  untrusted_certificate: () =>
    'Clients do not trust the certificate of the server. Use one of a public authority with its whole chain, or set allowinsecure, which pins the certificate that the core has.',
  wrong_key: ({ serverName }) =>
    `Another server than the REALITY inbound answered: the key, the short id or the server name ${serverName} does not fit. Restart the core of the node where it has changed; check that the address leads to that node and that the SNI is one of serverNames.`,
  tls_refused: ({ security, address, port }) =>
    `The server at ${address} port ${port} broke off the ${security === 'reality' ? 'REALITY' : 'TLS'} handshake. Check that the security of the host is that of its inbound, and that ALPN and fingerprint suit it.`,
  wrong_path: () =>
    'The server answered, but not at this path. Check path and Host header of the host, and the rules of a CDN or reverse proxy before the node.',
  no_answer: ({ url }) =>
    `The server took the connection and then answered nothing. Restart the core of the node where it has changed, check clock and routing of the node, and that ${url} can be reached from it.`,
  target_refused: ({ url }) =>
    `The host works, but ${url} answered with an error. Set another URL in the settings of probes.`,
  download_broken: () =>
    'The answer began and then broke off. The way between client and server loses connections: try another transport, address or fragment settings.',
};
