import { createHmac, timingSafeEqual } from 'node:crypto';

const VERSION = 'v1';

/** What a subscription token stands for. */
export interface SubscriptionSubject {
  userId: number;
  /** A token of an earlier generation is revoked. */
  generation: number;
}

/** Makes and reads subscription URLs. One user has one URL, the same each time, until it is revoked. */
export class SubscriptionLink {
  constructor(
    private readonly key: Buffer,
    private readonly prefix: string,
  ) {}

  urlOf(subject: SubscriptionSubject): string {
    return `${this.prefix}/sub/${this.token(subject)}`;
  }

  token({ userId, generation }: SubscriptionSubject): string {
    const payload = Buffer.from(`${VERSION}.${userId}.${generation}`).toString('base64url');
    return `${payload}.${createHmac('sha256', this.key).update(payload).digest('base64url')}`;
  }

  /** The subject of a token; nothing for every other text, also for one that only decodes to the same. */
  read(token: string): SubscriptionSubject | undefined {
    const payload = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1');
    const [, id, generation] = /^v1\.([1-9]\d{0,9})\.(0|[1-9]\d{0,9})$/.exec(payload) ?? [];
    const subject = { userId: Number(id ?? 0), generation: Number(generation ?? 0) };
    const [given, expected] = [Buffer.from(token), Buffer.from(this.token(subject))];
    const genuine = given.length === expected.length && timingSafeEqual(given, expected);
    return genuine && subject.userId > 0 && subject.userId < 2 ** 31 ? subject : undefined;
  }
}
