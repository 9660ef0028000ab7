import { OperatorError } from '@rampart/program';

/** Says why a backup cannot be made or restored, in a sentence for the operator that contains no secret. */
export class BackupError extends OperatorError {
  override readonly name = 'BackupError';
}
