import { type DrawnProxy, resolveProxy } from './resolve-proxies.js';
import type { ProxyProtocol } from './resolved-proxy.js';
import type { DocumentEntry, SubscriptionWriter, WrittenProxy } from './subscription-writer.js';

/** What a proxy looks like in a format, with gaps for what is another one with each user; null: it is left out. */
export type ProxyTemplate =
  | null
  | (Omit<WrittenProxy, 'text'> & {
      readonly parts: readonly string[];
      readonly writeName: (name: string) => string;
    });

/** What stands in the gaps while a template is made: every format writes them as they are, and nobody else writes them. */
const NAME = 'Vh2pXq7TnameKd0Rz9Lw';
const CREDENTIAL = 'Vh2pXq7TcredentialKd0Rz9Lw';
const SALT = 'Vh2pXq7TsaltKd0Rz9Lw';
const USERNAME = 'Vh2pXq7TusernameKd0Rz9Lw';
const GAP = new RegExp(`(${NAME}|${CREDENTIAL}|${SALT}|${USERNAME})`);

export function makeTemplate(write: SubscriptionWriter['write'], drawn: DrawnProxy): ProxyTemplate {
  const { protocol, request } = drawn;
  const open = 'id' in protocol ? { ...protocol, id: CREDENTIAL } : { ...protocol, password: CREDENTIAL };
  const marked = { name: NAME, protocol: open, salt: () => SALT, request: { ...request, values: { USERNAME } } };
  const written = write(resolveProxy({ ...drawn, ...marked }));
  if (written === undefined) return null;
  const { text, ...others } = written;
  return { ...others, parts: text.split(GAP), writeName: rememberingLast(written.escaped) };
}

/** Most remarks have no variables: the name is what it was for the user before. */
function rememberingLast(write: (text: string) => string): (text: string) => string {
  let [last, written] = ['', write('')];
  return (text) => {
    if (text !== last) [last, written] = [text, write(text)];
    return written;
  };
}

export function fillTemplate(
  template: ProxyTemplate,
  { name, protocol, salt, request }: DrawnProxy,
): DocumentEntry | undefined {
  if (template === null) return undefined;
  const { parts, writeName, escaped, seal } = template;
  const escapedName = writeName(name);
  let text = '';
  for (const part of parts) {
    if (part === NAME) text += escapedName;
    else if (part === CREDENTIAL) text += escaped(credentialOf(protocol));
    else if (part === SALT) text += salt();
    else if (part === USERNAME) text += request.values.USERNAME ?? '';
    else text += part;
  }
  return { name: escapedName, text: seal ? seal(text) : text };
}

const credentialOf = (protocol: ProxyProtocol): string => ('id' in protocol ? protocol.id : protocol.password);
