/**
 * CN ignored.example; DNS a.example, IP 192.0.2.1, DNS *.b.example, and the URI `https://x/, DNS:evil.example`, which
 * looks like a DNS name where the names are joined.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBnzCCAUagAwIBAgIUG8trndCiO5fIFOoSsbtmoYTIypswCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPaWdub3JlZC5leGFtcGxlMCAXDTI2MTEyMTEwNTM0NFoYDzIx
MjYxMDI4MTA1MzQ0WjAaMRgwFgYDVQQDDA9pZ25vcmVkLmV4YW1wbGUwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAShpw5wcnDllcuCGeYX7me+YISsJPjK+vOkyZ5m
/Rfh9Nbxme0b9m9vVo56iBrDhvIi2FM+110BaFEI9A4ij/Fzo2gwZjBFBgNVHREE
PjA8gglhLmV4YW1wbGWHBMAAAgGCCyouYi5leGFtcGxlhhxodHRwczovL3gvLCBE
TlM6ZXZpbC5leGFtcGxlMB0GA1UdDgQWBBRxYTIgb5Da5bAA1K3pD65FYp2WNjAK
BggqhkjOPQQDAgNHADBEAiBZEwamqxKRZn+jC2WPRsHuFRQZ6gmeC4ueeokFZhYO
7QIgcLvXhnOjBiCmur8uJursrAbzmjrUfVdETQQtI8gbkXU=
-----END CERTIFICATE-----
`;

/** SHA-256 of the DER form of the certificate, as `sha256sum` prints it. */
export const CERTIFICATE_SHA256 = '8fec1b8acbabe12e534a63b4eb395838b875279e467d1b60786cab36d4a477ce';
