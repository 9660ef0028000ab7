/** A self-signed certificate of a node, valid for a hundred years, whose key does not exist any more. */
export { EXAMPLE_CERTIFICATE as LEAF } from '../../openapi/examples.js';

/** A self-signed authority, valid for a hundred years, whose key does not exist any more. */
export const AUTHORITY = `-----BEGIN CERTIFICATE-----
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
