import { describe, expect, it } from '@jest/globals';
import { checkCertificate } from './check-certificate.js';

/** A self-signed certificate that is valid from 2026-11-21 to 2126-10-28. */
const PEM = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUXIl8N9Yvh7EIWwar2w9kk6ZIItkwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMTA1NjIzWhgPMjEy
NjEwMjgxMDU2MjNaMBkxFzAVBgNVBAMMDlRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEZ45CCSXVMVoJA2frbp0SLbCxY2Hj6mS3HVDtOuqj
uPxHCuMWVi86U7pUxgVhr/YsZNLWQcQAQ/o/u1xfFw/lCqNTMFEwHQYDVR0OBBYE
FP0mcJTmCzDTMhr1VBvD1W2aK5LXMB8GA1UdIwQYMBaAFP0mcJTmCzDTMhr1VBvD
1W2aK5LXMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgaseVKJjO
qeJtKcssKcPQxgmyIaM1tbuDBSz14G9h17MCIEuJnJ50TcJ3TEaR8rVLGa/Z5xZ8
giM5S1WFEq8p0EPo
-----END CERTIFICATE-----
`;

const at = (now: string) => checkCertificate('certificate', PEM, new Date(now), 'Renew it.');

describe(checkCertificate.name, () => {
  it.each([
    ['2026-11-22T00:00:00Z', 'ok', 'ends on 2126-10-28, in 36499 days', null],
    ['2126-10-14T10:00:00Z', 'ok', 'ends on 2126-10-28, in 14 days', null],
    ['2126-10-14T11:00:00Z', 'warning', 'ends on 2126-10-28, in 13 days', 'Renew it.'],
    ['2126-10-29T00:00:00Z', 'wrong', 'ended on 2126-10-28', 'Renew it.'],
    [
      '2026-11-20T00:00:00Z',
      'wrong',
      'begins only on 2026-11-21T10:56:23.000Z',
      'Set the clock of this machine, or use another certificate.',
    ],
  ])('at %s a certificate that ends on 2126-10-28 is %s', (now, state, seen, advice) => {
    expect(at(now)).toEqual({ name: 'certificate', state, seen, advice });
  });

  it('a chain counts by its first certificate', () => {
    expect(checkCertificate('certificate', PEM + PEM, new Date('2026-11-22'), '').state).toBe('ok');
  });
});
