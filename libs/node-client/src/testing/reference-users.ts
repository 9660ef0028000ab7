import { status } from '@grpc/grpc-js';
import type { Backend, User } from '../gen/service.js';
import { ReferenceRefusal } from './reference-refusal.js';
import { uuidDigits } from './reference-uuid.js';

const KNOWN_FLOWS = ['', 'xtls-rprx-vision'];

/** The parts of a configuration that matter to the node. */
export interface ReferenceConfig {
  readonly inbounds?: readonly { readonly tag?: string; readonly protocol?: string }[];
  readonly log?: object;
}

/** The users of a {@link ReferenceNode} by their e-mails, with the inbounds on which the engine has them. */
export class ReferenceUsers extends Map<string, User> {
  /** All users of all calls, in order: what the owner of the node could have written down. */
  readonly told: User[] = [];
  /** The protocols of the inbounds by their tags. */
  private protocols: ReadonlyMap<string, string> = new Map();

  /** Takes the users of a new backend. The node never touches the excluded inbounds. */
  begin({ excludeInbounds, users }: Backend, { inbounds = [] }: ReferenceConfig): void {
    const served = inbounds.filter(({ tag = '' }) => !excludeInbounds.includes(tag));
    this.protocols = new Map(served.map(({ tag = '', protocol = '' }) => [tag, protocol]));
    this.replace(users);
  }

  replace(users: readonly User[]): void {
    this.clear();
    for (const user of users) this.hold(user);
  }

  /** @throws ReferenceRefusal for a user without an e-mail, and for the user `poison`, whom the engine refuses */
  change(user: User): void {
    if (user.email === '') throw new ReferenceRefusal(400, status.UNKNOWN, 'email is required');
    if (user.email === 'poison') {
      const [text, restText] = ['failed to update user: vless: no id', 'failed to add user:\nvless: no id'];
      throw new ReferenceRefusal(500, status.INTERNAL, text, restText);
    }
    this.hold(user);
  }

  /** Why an engine does not start with these users, whom the API of a running one accepts; undefined when it starts. */
  get refusal(): string | undefined {
    for (const { inbounds, proxies } of this.values()) {
      const flow = proxies?.vless?.flow ?? '';
      const isServed = inbounds.some((tag) => this.protocols.get(tag) === 'vless');
      if (isServed && !KNOWN_FLOWS.includes(flow)) {
        return `Failed to start: VLESS clients: "flow" doesn't support "${flow}" in this version`;
      }
    }
    return undefined;
  }

  /** Adds the user where the tag is known and there is a credential, and skips the other inbounds without an error. */
  private hold(user: User): void {
    this.told.push(user);
    const inbounds = user.inbounds.filter((tag) => hasCredential(user, this.protocols.get(tag)));
    if (inbounds.length === 0) this.delete(user.email);
    else this.set(user.email, { ...user, inbounds });
  }
}

function hasCredential({ proxies }: User, protocol = ''): boolean {
  if (protocol === 'vmess' || protocol === 'vless') return uuidDigits(proxies?.[protocol]?.id ?? '') !== undefined;
  return Object.entries(proxies ?? {}).some(([name, credential]) => name === protocol && credential !== undefined);
}
