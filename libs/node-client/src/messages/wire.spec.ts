import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const CONTRACT = join(import.meta.dirname, '../../../../proto/service.proto');

/** Field numbers that all nodes and managements of this contract use; a change of them breaks compatibility. */
const FROZEN = {
  Empty: {},
  BackendType: { XRAY: 0, WIREGUARD: 1 },
  Backend: { type: 1, config: 2, users: 3, keep_alive: 4, exclude_inbounds: 5 },
  BaseInfoResponse: { running: 1, core_version: 2, version: 3 },
  Log: { detail: 1 },
  Vmess: { id: 1 },
  Vless: { id: 1, flow: 2 },
  Trojan: { password: 1 },
  Shadowsocks: { password: 1, method: 2 },
  Wireguard: { public_key: 1, peer_ips: 2 },
  Hysteria: { auth: 1 },
  Proxy: { vmess: 1, vless: 2, trojan: 3, shadowsocks: 4, wireguard: 5, hysteria: 6 },
  User: { email: 1, proxies: 2, inbounds: 3 },
  Users: { users: 1 },
  UsersChunk: { users: 1, index: 2, last: 3 },
  StatType: { Outbounds: 0, Outbound: 1, Inbounds: 2, Inbound: 3, UsersStat: 4, UserStat: 5 },
  StatRequest: { name: 1, reset: 2, type: 3 },
  Stat: { name: 1, type: 2, link: 3, value: 4 },
  StatResponse: { stats: 1 },
  OnlineStatResponse: { name: 1, value: 2 },
  StatsOnlineIpListResponse: { name: 1, ips: 2 },
  BackendStatsResponse: {
    num_goroutine: 1,
    num_gc: 2,
    alloc: 3,
    total_alloc: 4,
    sys: 5,
    mallocs: 6,
    frees: 7,
    live_objects: 8,
    pause_total_ns: 9,
    uptime: 10,
  },
  SystemStatsResponse: {
    mem_total: 1,
    mem_used: 2,
    cpu_cores: 3,
    cpu_usage: 4,
    incoming_bandwidth_speed: 5,
    outgoing_bandwidth_speed: 6,
    uptime: 7,
  },
  Latency: { name: 1, alive: 2, delay: 3, link: 4, last_seen_time: 5, last_try_time: 6, source: 7 },
  LatencyRequest: { name: 1 },
  LatencyResponse: { latencies: 1 },
};

/** Numbers by name, by message or enum, as in the file. */
function numbersOf(proto: string): Record<string, Record<string, number>> {
  const text = proto.replaceAll(/\/\/.*$/gm, '');
  const blocks = text.matchAll(/^(?:message|enum) (\w+) \{([^}]*)\}/gm);
  const fields = (body: string) => [...body.matchAll(/(\w+) = (\d+);/g)].map(([, name, n]) => [name, Number(n)]);
  return Object.fromEntries([...blocks].map(([, name = '', body = '']) => [name, Object.fromEntries(fields(body))]));
}

const below100 = (numbers: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(numbers).filter(([, number]) => number < 100));

const contract = numbersOf(readFileSync(CONTRACT, 'utf8'));

it.each(Object.entries(FROZEN))(
  '%s keeps its field names and numbers, and fields of Rampart have numbers from 100 on',
  (name, numbers) => {
    expect(below100(contract[name] ?? { absent: 0 })).toEqual(numbers);
  },
);

it('every call of the contract keeps its name and the direction of its streams', () => {
  const text = readFileSync(CONTRACT, 'utf8');
  const calls = [...text.matchAll(/^ {2}rpc (\w+)\((\w+ )?(\w+)\) returns \((\w+ )?(\w+)\);/gm)];
  const signatures = calls.map(
    ([, name, up = '', request, down = '', answer]) => `${name}(${up}${request}): ${down}${answer}`,
  );
  expect(signatures).toEqual([
    'Start(Backend): BaseInfoResponse',
    'Stop(Empty): Empty',
    'GetBaseInfo(Empty): BaseInfoResponse',
    'GetLogs(Empty): stream Log',
    'GetSystemStats(Empty): SystemStatsResponse',
    'GetBackendStats(Empty): BackendStatsResponse',
    'GetStats(StatRequest): StatResponse',
    'GetOutboundsLatency(LatencyRequest): LatencyResponse',
    'GetUserOnlineStats(StatRequest): OnlineStatResponse',
    'GetUserOnlineIpListStats(StatRequest): StatsOnlineIpListResponse',
    'SyncUser(stream User): Empty',
    'SyncUsers(Users): Empty',
    'SyncUsersChunked(stream UsersChunk): Empty',
    'CollectTraffic(CollectTrafficRequest): TrafficBatch',
    'GetOnlineUsers(Empty): OnlineUsersResponse',
    'RequestCertificate(Empty): CertificateRequest',
    'InstallCertificate(IssuedCertificate): Empty',
    'Probe(ProbeRequest): ProbeResponse',
  ]);
  expect(text).toMatch(/^package service;$/m);
  expect(text).toMatch(/^service NodeService \{$/m);
});
