import { PROBE_CLIENTS, type ProbeClient } from '@rampart/subscription';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { HostCreate } from '../hosts/host.dto.js';
import type { HostState } from '../hosts/host-health.entity.js';
import { Page } from '../http/page.js';
import { IntegerText } from '../validation/query-values.js';
import { OptionalIdList, OptionalSeveralOf } from '../validation/rules.js';

const ROUNDS = { message: 'Input should be an integer from 0 to 100' };

/** How a host is probed now. */
export class HostProbeOptions {
  /** The kinds of clients as which the host is probed. Null or empty: all of them. */
  @OptionalSeveralOf(PROBE_CLIENTS)
  clients?: ProbeClient[] | null;

  /** Only from these nodes. Null or absent: by turns from nodes at other addresses, else from the machine of management. */
  @OptionalIdList()
  node_ids?: number[] | null;
}

/** A host that is not saved, and how it is probed. */
export class UnsavedHostProbe extends HostCreate {
  /** The kinds of clients as which the host is probed. Null or empty: all of them. */
  @OptionalSeveralOf(PROBE_CLIENTS)
  clients?: ProbeClient[] | null;

  /** Only from these nodes. Null or absent: by turns from nodes at other addresses, else from the machine of management. */
  @OptionalIdList()
  node_ids?: number[] | null;
}

/** Which hosts, and how much of their history. */
export class HostHealthQuery extends Page {
  /** The number of earlier rounds to show of each host. Absent means 10. */
  @Max(100, ROUNDS)
  @Min(0, ROUNDS)
  @IsInt(ROUNDS)
  @IntegerText()
  @IsOptional()
  history?: number;
}

/** The result of one probe. */
export interface HostProbeView {
  /** The node that probed; null: the machine of management. */
  node_id: number | null;
  /** The kinds of clients that send exactly what was sent, as far as an Xray engine can send it. */
  clients: string[];
  /** The address of the host, in which a choice may have been made. */
  address: string;
  /** The port that was tried. */
  port: number;
  /** The server name that was sent; empty: none is set. */
  server_name: string;
  /** What is wrong: a name that stays the same. `not_probed` says nothing about the host. Null: it works. */
  problem: string | null;
  /** What went wrong, in the words of the client. */
  error: string;
  /** What to do about it. */
  advice: string;
  /** The IP address to which the client connected. */
  server_address: string | null;
  /** Milliseconds until the client had its connection to the server. */
  handshake_ms: number | null;
  /** Milliseconds until the first byte of the answer. */
  first_byte_ms: number | null;
  /** Throughput of 1 MB in bytes per second. */
  bytes_per_second: number | null;
  /** The status with which the fetched URL answered. */
  http_status: number | null;
}

/** What a round of probes has found about a host. */
export interface HostProbesView {
  /** Null: the host is not saved. */
  host_id: number | null;
  /** `works`: every probe passes. `partly`: some do. `fails`: none does. `unknown`: nothing could be probed. */
  status: HostState;
  /** What is wrong, and what to do; empty when the host works. */
  message: string;
  /** Clients that do not get the host. */
  clients_left_out: string[];
  /** Clients that do what an Xray engine cannot, such as not verifying a certificate: they were not probed. */
  clients_not_imitated: string[];
  /** Number of choices of address, port and server name that were not probed. */
  omitted_choices: number;
  /** What each probe has found. Empty where no machine could probe. */
  results: HostProbeView[];
}

/** An earlier round, as seen from one viewpoint. */
export interface HostRoundView {
  /** Null: the machine of management. */
  node_id: number | null;
  /** When the round ended. */
  checked_at: Date;
  /** Number of probes that passed. */
  passed: number;
  /** Number of probes that did not. */
  failed: number;
  /** The lowest of the round. */
  handshake_ms: number | null;
  /** The lowest of the round. */
  first_byte_ms: number | null;
  /** The highest of the round. */
  bytes_per_second: number | null;
}

/** The state of a host by its probes. */
export interface HostHealthView {
  /** The id of the host. */
  host_id: number;
  /** The name of the host, as clients show it. */
  remark: string;
  /** `unknown` also where it was never probed. */
  status: HostState;
  /** When it came into this state; null: it was never probed. */
  since: Date | null;
  /** When the last round of its probes ended; null: it was never probed. */
  checked_at: Date | null;
  /** Number of rounds without a probe that passed, one after another. */
  failed_rounds: number;
  /** Whether subscriptions leave the host out, because it fails and the settings say so. */
  left_out: boolean;
  /** What is wrong, and what to do; empty when the host works. */
  message: string;
  /** The results of the last round. */
  results: HostProbeView[];
  /** The last rounds, the newest first. */
  history: HostRoundView[];
}
