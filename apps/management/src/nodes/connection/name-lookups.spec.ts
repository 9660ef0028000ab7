import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NameLookups } from './name-lookups.js';

/** The resolver of the system, which is answered by the test. */
class Names extends NameLookups {
  readonly asked: string[] = [];
  private readonly waiting = new Map<string, (addresses: string[]) => void>();

  protected override lookUp(name: string): Promise<string[]> {
    this.asked.push(name);
    if (name.startsWith('unknown')) return Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`));
    if (name.startsWith('quick')) return Promise.resolve(['192.0.2.1']);
    return new Promise((resolve) => this.waiting.set(name, resolve));
  }

  answer(name: string): void {
    this.waiting.get(name)?.(['192.0.2.2']);
  }
}

describe(NameLookups.name, () => {
  let names: Names;

  beforeEach(() => {
    jest.useFakeTimers();
    names = new Names();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const failure = (name: string) => names.resolve(name).catch(({ message }: Error) => message);

  it('asks for a name once, however many wait for it, and again afterwards', async () => {
    expect(await Promise.all([names.resolve('quick.test'), names.resolve('quick.test')])).toEqual([
      ['192.0.2.1'],
      ['192.0.2.1'],
    ]);
    expect(names.asked).toEqual(['quick.test']);
    await names.resolve('quick.test');
    expect(names.asked).toEqual(['quick.test', 'quick.test']);
  });

  it('passes on what the system says', async () => {
    expect(await failure('unknown.test')).toBe('getaddrinfo ENOTFOUND unknown.test');
  });

  it('security row 132: a name that is not answered is waited for three seconds', async () => {
    const waiting = Promise.all([failure('silent.test'), failure('silent.test')]);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await waiting).toEqual(['no answer within 3000 ms', 'no answer within 3000 ms']);
    const again = failure('silent.test');
    await jest.advanceTimersByTimeAsync(3_000);
    expect([await again, names.asked]).toEqual(['no answer within 3000 ms', ['silent.test']]);
  });

  it('security row 132: names that are not answered hold one place, and others are resolved meanwhile', async () => {
    const silent = Array.from({ length: 5 }, (_, n) => failure(`silent${n}.test`));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await Promise.all(silent)).toEqual(Array(5).fill('no answer within 3000 ms'));
    const before = names.asked.length;
    void Promise.all(Array.from({ length: 5 }, (_, n) => failure(`silent${n}.test`)));
    expect(await names.resolve('quick.test')).toEqual(['192.0.2.1']);
    expect(names.asked.slice(before)).toEqual(['quick.test']);
    await jest.advanceTimersByTimeAsync(3_000);
  });

  it('a name that was slow once is asked for as others are after it was quick', async () => {
    const first = names.resolve('slow.test');
    await jest.advanceTimersByTimeAsync(1_500);
    names.answer('slow.test');
    expect(await first).toEqual(['192.0.2.2']);
    const second = names.resolve('slow.test');
    await jest.advanceTimersByTimeAsync(1);
    names.answer('slow.test');
    await second;
    const silent = failure('silent.test');
    await jest.advanceTimersByTimeAsync(1_000);
    const third = names.resolve('slow.test');
    await jest.advanceTimersByTimeAsync(1);
    names.answer('slow.test');
    expect(await third).toEqual(['192.0.2.2']);
    await jest.advanceTimersByTimeAsync(3_000);
    await silent;
  });
});
