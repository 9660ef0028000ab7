import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { User } from '../gen/service.js';
import { chunksOf, UserSource } from './user-source.js';

const users = (count: number): User[] =>
  Array.from({ length: count }, (_, index) => User.fromPartial({ email: `${index}` }));

describe(chunksOf.name, () => {
  it('keeps the order, fills every chunk but the last, and marks only the last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.integer({ min: 1, max: 12 }), async (count, size) => {
        const given = users(count);
        const chunks = [];
        for await (const chunk of chunksOf(new UserSource(given), { size, revision: 3n })) chunks.push(chunk);
        expect(chunks.flatMap((chunk) => chunk.users)).toEqual(given);
        expect(chunks.map(({ index }) => index)).toEqual(chunks.map((_, place) => BigInt(place)));
        expect(chunks.map(({ last }) => last)).toEqual(chunks.map((_, place) => place === chunks.length - 1));
        for (const chunk of chunks.slice(0, -1)) expect(chunk.users).toHaveLength(size);
        expect(chunks).toHaveLength(Math.max(1, Math.ceil(count / size)));
      }),
    );
  });

  it('reads users only as they are needed', async () => {
    let given = 0;
    const endless = function* (): Generator<User> {
      for (;;) {
        given += 1;
        yield User.fromPartial({ email: `${given}` });
      }
    };
    const chunks = chunksOf(new UserSource(endless()), { size: 10, revision: 0n });
    await chunks.next();
    expect(given).toBe(11);
    await chunks.return();
  });
});

describe(UserSource.name, () => {
  it('remembers the e-mails that it has passed on, and its error', async () => {
    const broken = new Error('the database is gone');
    const source = new UserSource(
      (function* () {
        yield* users(2);
        throw broken;
      })(),
    );
    const read = (async () => {
      for await (const _ of source);
    })();
    await expect(read).rejects.toBe(broken);
    expect([...source.emails]).toEqual(['0', '1']);
    expect(source.failure).toEqual({ error: broken });
  });
});
