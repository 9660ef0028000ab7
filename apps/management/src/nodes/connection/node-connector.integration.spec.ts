import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import { readManagementEnv } from '../../env/management-env.js';
import { AtRestCipher } from '../../keys/at-rest-cipher.js';
import { Node } from '../store/node.entity.js';
import { LEAF } from '../testing/certificates.js';
import { NO_ENROLMENTS } from '../testing/node-fixture.js';
import { NameLookups } from './name-lookups.js';
import { NodeAddresses } from './node-addresses.js';
import { NodeConnector } from './node-connector.js';

/** A resolver whose first answer is right and whose further answers lead elsewhere. */
class Rebinding extends NodeAddresses {
  asked = 0;

  constructor() {
    super(readManagementEnv({}), new NameLookups());
  }

  protected override lookUp(): Promise<string[]> {
    this.asked += 1;
    return Promise.resolve([this.asked === 1 ? '127.0.0.1' : '169.254.169.254']);
  }
}

it.each(['grpc', 'rest'] as const)(
  'security row 9: %s goes to the address that was judged, whatever the name leads to later',
  async (connectionType) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const addresses = new Rebinding();
    const connector = new NodeConnector(new AtRestCipher(Buffer.alloc(32, 7)), addresses, NO_ENROLMENTS);
    const { port } = server.address() as AddressInfo;
    const apiKeyEncrypted = connector.sealApiKey(1, 'a-key-of-enough-characters');
    const values = { id: 1, address: 'node.invalid', port, connectionType, serverCa: LEAF, apiKeyEncrypted };
    const node = Object.assign(new Node(), values);

    const client = await connector.connect(node);
    await until(async () => {
      await expect(client.info({ timeoutMs: 5_000 })).rejects.toMatchObject({ code: 'UNREACHABLE' });
      return connections > 1;
    });
    expect(addresses.asked).toBe(1);
    await client.close();
    await expect(connector.connect(node)).rejects.toMatchObject({
      name: 'NodeProblem',
      message: '169.254.169.254, to which node.invalid leads, is an address that no node can have',
    });
    server.close();
    await once(server, 'close');
  },
);
