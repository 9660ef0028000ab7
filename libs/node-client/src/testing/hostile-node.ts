import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Metadata, Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { MAX_MESSAGE_BYTES } from '../api/node-client.js';
import { NodeServiceService as rpc } from '../gen/service.js';
import { CALLS } from '../transport/node-transport.js';
import type { Issued } from './certificates.js';

/** A call by its name in the contract; `getLogs` is answered by one message for each line. */
export type HostileCall = keyof typeof rpc;

/** What a hostile node answers: any bytes, or an error with any status and text. */
export type HostileAnswer =
  | { readonly messages: readonly Uint8Array[] }
  | { readonly grpcCode: number; readonly httpStatus: number; readonly text: string };

const same = (bytes: Buffer): Buffer => bytes;
const STREAM = {
  ...{ requestStream: true, responseStream: true },
  ...{ requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same },
} as const;

const CALL_OF_ROUTE = new Map<string, HostileCall>([
  ['/logs', 'getLogs'],
  ['/user/sync', 'syncUser'],
  ['/users/sync/chunked', 'syncUsersChunked'],
  ...Object.values(CALLS).map(({ route, path }): [string, HostileCall] => [route, nameOf(path)]),
]);

function nameOf(path: string): HostileCall {
  const found = Object.entries(rpc).find(([, known]) => known.path === path);
  if (!found) throw new TypeError(`${path} is no call of the contract`);
  return found[0] as HostileCall;
}

/** A server on either wire that reads every request and answers it with whatever it is told to. */
export class HostileNode {
  /** All calls so far. */
  readonly calls: HostileCall[] = [];
  private readonly grpc = new Server({ 'grpc.max_send_message_length': MAX_MESSAGE_BYTES });
  private web: https.Server | undefined;

  constructor(
    private readonly wire: 'grpc' | 'rest',
    private readonly certificate: Issued,
    private readonly answerTo: (call: HostileCall) => HostileAnswer,
  ) {}

  /** Returns the port. */
  async listen(): Promise<number> {
    if (this.wire === 'rest') {
      this.web = https.createServer(this.certificate, (request, response) => this.serve(request, response));
      this.web.listen(0, '127.0.0.1');
      await once(this.web, 'listening');
      return (this.web.address() as AddressInfo).port;
    }
    for (const { path } of Object.values(rpc)) {
      const handle = (call: ServerDuplexStream<Buffer, Buffer>): void => this.handle(call, nameOf(path));
      this.grpc.addService({ [path]: { path, ...STREAM } }, { [path]: handle });
    }
    const pair = { private_key: Buffer.from(this.certificate.key), cert_chain: Buffer.from(this.certificate.cert) };
    return new Promise((resolve, reject) =>
      this.grpc.bindAsync('127.0.0.1:0', ServerCredentials.createSsl(null, [pair]), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  }

  close(): void {
    this.grpc.forceShutdown();
    this.web?.closeAllConnections();
    this.web?.close();
  }

  private handle(call: ServerDuplexStream<Buffer, Buffer>, name: HostileCall): void {
    call.on('error', () => undefined);
    call.resume();
    call.once('end', () => {
      const answer = this.next(name);
      if ('messages' in answer) {
        for (const message of answer.messages) call.write(Buffer.from(message));
        call.end();
      } else call.emit('error', { code: answer.grpcCode, details: answer.text, metadata: new Metadata() });
    });
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    request.once('end', () => {
      const name = CALL_OF_ROUTE.get(request.url ?? '');
      const answer = name ? this.next(name) : { grpcCode: 0, httpStatus: 404, text: 'unknown' };
      if ('messages' in answer) response.writeHead(200).end(Buffer.concat(answer.messages));
      else response.writeHead(answer.httpStatus).end(answer.text);
    });
  }

  private next(name: HostileCall): HostileAnswer {
    this.calls.push(name);
    return this.answerTo(name);
  }
}
