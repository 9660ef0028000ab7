import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/**
 * The options of every TLS port: TLS 1.3, and TLS 1.2 with the cipher suites of Mozilla's intermediate profile that have
 * forward secrecy and authenticated encryption. Renegotiation is off, because a peer could cause unlimited work with it.
 */
export const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  // OpenSSL also offers groups over finite fields and P-521, which cost up to thirty times as much.
  ecdhCurve: 'X25519:P-256:P-384',
  // All suites are secure: the client chooses the one that is fastest on its machine.
  honorCipherOrder: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const satisfies SecureContextOptions;
