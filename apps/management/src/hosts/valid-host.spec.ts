import { describe, expect, it } from '@jest/globals';
import { Host } from './host.entity.js';
import { validHost } from './valid-host.js';

const hostWith = (columns: object): Host => Object.assign(new Host(), { id: 1 }, columns);

describe(validHost.name, () => {
  it('returns a host whose documents are valid as it is, each time', () => {
    const host = hostWith({ httpHeaders: { 'x-a': 'b' }, muxSettings: null });
    for (let time = 0; time < 2; time++) expect(validHost(host)).toEqual({ host, problems: [] });
  });

  it('names the problems of equal documents for each host that has them, and clears only these documents', () => {
    const damaged = { noiseSettings: 5, httpHeaders: { 'x-a': 'b' } };
    for (const id of [1, 2]) {
      const { host, problems } = validHost(hostWith({ ...damaged, id }));
      expect(host).toMatchObject({ id, noiseSettings: null, httpHeaders: { 'x-a': 'b' } });
      expect(problems).toEqual(['noise_settings: Input should be an object']);
    }
  });

  it('validates a document again after it was changed', () => {
    const host = hostWith({ noiseSettings: 5 });
    expect(validHost(host).problems).toHaveLength(1);
    expect(validHost(hostWith({ noiseSettings: null })).problems).toEqual([]);
  });
});
