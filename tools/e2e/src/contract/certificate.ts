/** The lines of a self-signed certificate for one.example and two.example, valid until 2126. */
export const certificate = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBqjCCAVCgAwIBAgIUZn+XJDdA2OsqPe762F/aPz0s75wwCgYIKoZIzj0EAwIw',
  'FzEVMBMGA1UEAwwMY2VydC5leGFtcGxlMCAXDTI2MTEyMTE5NTIwN1oYDzIxMjYx',
  'MDI4MTk1MjA3WjAXMRUwEwYDVQQDDAxjZXJ0LmV4YW1wbGUwWTATBgcqhkjOPQIB',
  'BggqhkjOPQMBBwNCAAR47hRQ97yetljB1/1I/k0CXX8Qz7ctg17ocb3Tiz9Gk9sp',
  'Jn8fC2FK4ZZ39GAEwuJsx141SZhGSsIt/QApijXeo3gwdjAdBgNVHQ4EFgQUpbrM',
  '+SDYJxb3hpr23m3HZ9URdfwwHwYDVR0jBBgwFoAUpbrM+SDYJxb3hpr23m3HZ9UR',
  'dfwwDwYDVR0TAQH/BAUwAwEB/zAjBgNVHREEHDAaggtvbmUuZXhhbXBsZYILdHdv',
  'LmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAwRQIgDbBMw4gV8QxXIexRCypta6J2KCkf',
  'r1UK2SeRodekRtMCIQDNHQLLoaCv5FBtn0aajusKbanfa2JH5n/S753qBL/mmA==',
  '-----END CERTIFICATE-----',
];
