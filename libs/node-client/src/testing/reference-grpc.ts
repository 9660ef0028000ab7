import { once } from 'node:events';
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { MAX_MESSAGE_BYTES } from '../api/node-client.js';
import { NodeServiceService as rpc } from '../gen/service.js';
import type { Issued } from './certificates.js';
import { framed } from './reference-chunks.js';
import type { ReferenceNode } from './reference-node.js';
import { ReferenceRefusal } from './reference-refusal.js';
import type { ReferenceRoute } from './reference-routes.js';
import { isBefore } from './reference-version.js';

type Call = ServerDuplexStream<Buffer, Buffer>;

const LIMITS = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
};
/** Versions before 0.2 have the limits of grpc-go: none for answers. */
const OLD_LIMITS = { 'grpc.max_receive_message_length': 4 * 1024 * 1024, 'grpc.max_send_message_length': -1 };
const same = (bytes: Buffer): Buffer => bytes;
/** Every method is declared as a stream in both directions, so that one handler serves all of them with raw bytes. */
const STREAM = {
  ...{ requestStream: true, responseStream: true },
  ...{ requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same },
} as const;

/** The gRPC service of a {@link ReferenceNode}. */
export class ReferenceGrpc {
  private readonly server: Server;

  constructor(
    private readonly node: ReferenceNode,
    private readonly certificate: Issued,
  ) {
    this.server = new Server(isBefore(node.version, 2) ? OLD_LIMITS : LIMITS);
  }

  listen(port: number): Promise<number> {
    this.addService();
    const pair = { private_key: Buffer.from(this.certificate.key), cert_chain: Buffer.from(this.certificate.cert) };
    return new Promise((resolve, reject) =>
      this.server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createSsl(null, [pair]), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  }

  close(): Promise<void> {
    this.server.forceShutdown();
    return Promise.resolve();
  }

  private addService(): void {
    const { node } = this;
    for (const [route, { path, requestStream }] of Object.entries(node.routes)) {
      if (!node.has(route)) continue;
      const single = path === rpc.syncUser.path || !requestStream;
      this.add(path, (call) => this.handle(call, route, single));
    }
    this.add(rpc.getLogs.path, (call) => this.handleLog(call));
    const known = new Set<string>([...Object.values(node.routes), rpc.getLogs].map(({ path }) => path));
    for (const { path } of Object.values(rpc))
      if (!known.has(path)) this.add(path, (call) => this.refuseUnknown(call, path));
  }

  /** As a server does that does not have the call, before it looks at the key. */
  private async refuseUnknown(call: Call, path: string): Promise<void> {
    this.node.unknownCalls.push(path);
    refuse(call, new ReferenceRefusal(0, status.UNIMPLEMENTED, `The server does not implement the method ${path}`));
  }

  private add(path: string, handle: (call: Call) => Promise<void>): void {
    this.server.addService({ [path]: { path, ...STREAM } }, { [path]: (call: Call) => void handle(call) });
  }

  private async handle(call: Call, route: ReferenceRoute, single: boolean): Promise<void> {
    const { node } = this;
    const key = keyOf(call);
    const broken = endOf(call);
    const answer = (body: Buffer) => node.answer({ key, route, body, byGrpc: true, broken });
    try {
      node.admit(key);
      const messages: Buffer[] = [];
      let answered: Promise<Uint8Array> = Promise.resolve(Buffer.alloc(0));
      const refused = new Promise<never>((_resolve, reject) => {
        // The call is not read as an iterator, whose end would destroy the call before the response.
        call.on('data', (message: Buffer) => {
          if (!single) return void messages.push(message);
          answered = answered.then(() => answer(message));
          answered.catch(reject);
        });
      });
      await Promise.race([once(call, 'end'), refused]);
      const body = await (single ? answered : answer(framed(messages)));
      if (node.isLost(route)) throw new ReferenceRefusal(0, status.UNAVAILABLE, 'the connection was reset');
      call.write(Buffer.from(body));
      call.end();
    } catch (error) {
      refuse(call, error);
    }
  }

  private async handleLog(call: Call): Promise<void> {
    try {
      call.resume();
      await this.node.readLog(keyOf(call), endOf(call), () => {
        return (line) => void call.write(rpc.getLogs.responseSerialize({ detail: line, sequence: 0n }));
      });
    } catch (error) {
      refuse(call, error);
    }
  }
}

/** Aborts when the client gives the call up. */
function endOf(call: Call): AbortSignal {
  const controller = new AbortController();
  call.once('cancelled', () => controller.abort());
  return controller.signal;
}

const keyOf = ({ metadata }: Call): string | undefined => metadata.get('x-api-key')[0]?.toString();

function refuse(call: Call, error: unknown): void {
  const known = error instanceof ReferenceRefusal;
  const { grpc: code, message } = known ? error : { grpc: status.INTERNAL, message: String(error) };
  call.emit('error', { code, details: message, metadata: new Metadata() });
}
