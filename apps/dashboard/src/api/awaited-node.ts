import type { Node } from './types';

/** The kinds of problems of a node that did not answer. Any other shows that it was reached. */
const NO_CONTACT: readonly (string | null)[] = ['UNREACHABLE', 'TIMEOUT'];

/** Whether management waits for the first contact with a node, which is no error: nobody may have started it yet. */
export const isAwaited = ({
  status,
  node_version,
  message_code: code,
}: Pick<Node, 'status' | 'node_version' | 'message_code'>): boolean =>
  node_version === null && (status === 'connecting' || (status === 'error' && NO_CONTACT.includes(code)));
