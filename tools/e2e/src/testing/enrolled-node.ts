import { join } from 'node:path';
import { type Api, enginePath, freePort, ProgramProcess } from '@rampart/testing';

/** Starts a node with its enrolment as the only setting, besides those that keep it on this machine. */
export const startEnrolledNode = (enrolment: string, dataDir: string): ProgramProcess =>
  new ProgramProcess('node', nodeSettings(enrolment, dataDir));

/** The settings of {@link startEnrolledNode}. */
export const nodeSettings = (enrolment: string, dataDir: string): Record<string, string> => ({
  RAMPART_ENROLMENT: enrolment.slice('RAMPART_ENROLMENT='.length),
  RAMPART_NODE_HOST: '127.0.0.1',
  RAMPART_NODE_DATA_DIR: join(dataDir, 'node'),
  XRAY_EXECUTABLE_PATH: enginePath(),
});

/** A node as the API shows it. */
export interface NodeView {
  readonly id: number;
  readonly port: number;
  readonly status: string;
  readonly message: string | null;
  readonly certificate_expires_at: string | null;
}

/** The answer to an enrolment. */
export interface Enrolled {
  readonly node: NodeView;
  readonly enrolment: string;
}

/** Creates a core with one inbound on this port of this machine, and returns its id. */
export async function createCore(api: Api, name: string, port: number): Promise<number> {
  const inbound = { tag: name, protocol: 'vless', port, listen: '127.0.0.1', settings: { decryption: 'none' } };
  const config = { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom' }] };
  return (await api.create<{ id: number }>('/api/core', { name, config })).id;
}

/** Enrols a node on a free port of this machine, with a core of its own, so that the ports of two nodes differ. */
export async function enrolNode(api: Api, name: string, values: object = {}): Promise<Enrolled> {
  const core_config_id = await createCore(api, name, await freePort());
  const place = { address: '127.0.0.1', port: await freePort(), core_config_id };
  return api.create('/api/nodes/enrol', { name, ...place, ...values });
}
