import { OperatorError } from '@rampart/program';

/** A reason why the embedded database cannot run, in words for the operator. */
export class EmbeddedPostgresError extends OperatorError {
  override readonly name = 'EmbeddedPostgresError';
}
