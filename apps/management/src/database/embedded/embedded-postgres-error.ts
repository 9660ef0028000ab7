import { OperatorError } from '@rampart/program';

/** Says why the embedded database cannot run, in a sentence for the operator. */
export class EmbeddedPostgresError extends OperatorError {
  override readonly name = 'EmbeddedPostgresError';
}
