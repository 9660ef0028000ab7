import { type ServiceError, status } from '@grpc/grpc-js';

type Callback<T> = (error: ServiceError | null, response: T) => void;

/** The engine refused the call; the message is its own. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
}

/** The engine does not know the object of the call. */
export class EngineNotFound extends Error {
  override readonly name = 'EngineNotFound';
}

/** The engine did not answer. */
export class EngineNotAnswering extends Error {
  override readonly name = 'EngineNotAnswering';
}

/** Makes one call to the engine. @throws EngineRefusal, EngineNotFound, EngineNotAnswering */
export function callEngine<T>(start: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((cause, response) => (cause === null ? resolve(response) : reject(engineError(cause))));
  });
}

function engineError(cause: ServiceError): Error {
  switch (cause.code) {
    case status.UNKNOWN:
      return new EngineRefusal(cause.details, { cause });
    case status.NOT_FOUND:
    case status.UNIMPLEMENTED:
      return new EngineNotFound(cause.details, { cause });
    default:
      return new EngineNotAnswering(`the engine did not answer: ${cause.details}`, { cause });
  }
}
