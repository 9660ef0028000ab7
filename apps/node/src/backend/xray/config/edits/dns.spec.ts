import { describe, expect, it } from '@jest/globals';
import { dnsSection } from './dns.js';

const GUARD = { 'regexp:^.{254}|[^!-~]': '#3' };

describe('dnsSection', () => {
  it('security row 80: hosts say of what is no name that it does not exist, beside what they say of others', () => {
    expect(dnsSection({ dns: { servers: ['1.1.1.1'] } })).toEqual({ servers: ['1.1.1.1'], hosts: GUARD });
    expect(dnsSection({ dns: { hosts: null } })).toEqual({ hosts: GUARD });
    expect(dnsSection({ dns: { Hosts: { 'a.test': '1.1.1.1' } } })).toEqual({
      hosts: { 'a.test': '1.1.1.1', ...GUARD },
    });
  });

  it('leaves hosts that are no object to the check of the engine', () => {
    expect(dnsSection({ dns: { hosts: ['a.test'] } })).toEqual({ hosts: ['a.test'] });
  });
});
