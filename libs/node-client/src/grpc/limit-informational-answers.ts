import type { ClientHttp2Session } from 'node:http2';
import { Http2SubchannelConnector } from '@grpc/grpc-js/build/src/transport.js';
import { countInformationalAnswers, TOO_MANY_INFORMATIONAL_ANSWERS } from '../transport/informational-answers.js';

/** The parts of the connector that grpc-js keeps to itself. */
interface Connector {
  createSession(...parameters: unknown[]): Promise<{ readonly session: ClientHttp2Session }>;
}

const connector = Http2SubchannelConnector.prototype as unknown as Connector;
const { createSession } = connector;

/**
 * Makes grpc-js close a connection with too many informational answers to one call, of which it takes no notice itself.
 * It is a call, because bundlers leave out a module that is imported for its effect alone.
 */
export function limitInformationalAnswers(): void {
  connector.createSession = async function limitAnswers(...parameters) {
    const transport = await createSession.apply(this, parameters);
    limitAnswersOf(transport.session);
    return transport;
  };
}

function limitAnswersOf(session: ClientHttp2Session): void {
  const request = session.request.bind(session);
  session.request = (...parameters) =>
    request(...parameters).on(
      'headers',
      countInformationalAnswers(() => session.destroy(new Error(TOO_MANY_INFORMATIONAL_ANSWERS))),
    );
}
