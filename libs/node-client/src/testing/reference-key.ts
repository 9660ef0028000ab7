import { status } from '@grpc/grpc-js';
import { ReferenceRefusal } from './reference-refusal.js';
import { uuidDigits } from './reference-uuid.js';

/** The API key of every {@link ReferenceNode}. */
export const REFERENCE_KEY = 'd04d8680-942d-4365-992f-9f482275691d';

/** @throws ReferenceRefusal for another key; each spelling of the same UUID is accepted */
export function checkKey(key: string | undefined): void {
  if (!key) throw new ReferenceRefusal(401, status.UNAUTHENTICATED, 'missing x-api-key header');
  const digits = uuidDigits(key);
  if (digits === undefined) {
    throw new ReferenceRefusal(422, status.INVALID_ARGUMENT, 'invalid api key format: must be a valid UUID');
  }
  if (digits !== uuidDigits(REFERENCE_KEY)) {
    throw new ReferenceRefusal(403, status.PERMISSION_DENIED, 'api key mismatch');
  }
}
