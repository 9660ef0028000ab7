import { describe, expect, it } from '@jest/globals';
import { redactor } from './redact.js';

const redact = redactor();

describe(redactor.name, () => {
  it.each([
    ['GET /sub/djEuMS4x.abc_def-123/xray 200', 'GET /sub/[redacted]/xray 200'],
    ['https://panel.example/sub/some-token?lang=en', 'https://panel.example/sub/[redacted]?lang=en'],
    ['the token djEuMTIuMw.Zm9vYmFy-_x is unknown', 'the token [redacted] is unknown'],
    ['an API token rampart_0123456789abcdefABCDEF', 'an API token [redacted]'],
    ['authorization: Bearer abc.def', 'authorization: [redacted] [redacted]'],
    ['sent "Bearer s3cr3t-value" to it', 'sent "Bearer [redacted]" to it'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: [redacted] [redacted]'],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJyb290In0.c2ln', 'jwt [redacted]'],
    ['cookie: a=1; session=2', 'cookie: [redacted]'],
    ['{"Set-Cookie": "a=1"}', '{"Set-Cookie": [redacted]'],
    ['x-api-key: my-own-key', 'x-api-key: [redacted]'],
    ['connect to postgres://me:pass%20word@db:5432/x', 'connect to postgres://me:[redacted]@db:5432/x'],
    ['{"username":"root","password":"hunter \' 2","x":1}', '{"username":"root","password":[redacted],"x":1}'],
    ['username=root&password=hunter2&x=1', 'username=root&password=[redacted]&x=1'],
    ['RAMPART_ADMIN_PASSWORD=hunter2 npm start', 'RAMPART_ADMIN_PASSWORD=[redacted] npm start'],
    ['paste rampart-enrolment-1.eyJwb3J0IjoxfQ.c2ln-x_y now', 'paste [redacted] now'],
    ['RAMPART_ENROLMENT=abc/def+== node', 'RAMPART_ENROLMENT=[redacted] node'],
    ["{ apiKey: 'abc', port: 1 }", '{ apiKey: [redacted], port: 1 }'],
    ['RAMPART_JWT_KEY=AAAA', 'RAMPART_JWT_KEY=[redacted]'],
    ['-----BEGIN EC PRIVATE KEY-----\nMHcC\nAQEE\n-----END EC PRIVATE KEY-----', '[redacted]'],
    ['-----BEGIN PRIVATE KEY-----\nMHcC', '[redacted]'],
  ])('turns %j into %j', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it.each([
    'Ready for REST and gRPC on 127.0.0.1:62050, certificate SHA-256 AB:CD:EF',
    'its API key does not open with the at-rest key of this management: enter it again',
    'a call with a wrong or no API key was refused',
    'node 3: error, the certificate of the node is another one',
    'RAMPART_TLS_KEY: ENOENT: no such file or directory',
    'RAMPART_ENROLMENT: its certificate ended on 2026-11-23T03:14:03.000Z',
    'RAMPART_API_KEY: must be a UUID',
    'RAMPART_JWT_KEY: must be 32 bytes in base64',
    'Put a proxy with a cache or limits in front, or raise RAMPART_MAX_SOCKETS.',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'Ready on http://127.0.0.1:8000',
    'GET /sub/:token 200 in 3 ms',
    'the user "subscription" is set aside, because what is due fails: QueryFailedError: deadlock detected',
  ])('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('removes given values wherever they stand, the longest first, and ignores values as short as words', () => {
    const given = redactor(['the-key-1', 'the-key-1-previous', 'root']);
    expect(given('(the-key-1-previous) <the-key-1> root')).toBe('([redacted]) <[redacted]> root');
  });

  it.each([
    ...['a', '-', 'a-', 'password', 'password-', 'eyJ', 'eyJ-', 'djEu-', 'cookie', '/sub/', '://:', 'bearer '],
    '-----BEGIN ',
  ])(
    'takes seconds, and not the minutes of a quadratic search, for %j 300,000 times',
    (part) => {
      const began = performance.now();
      redact(part.repeat(300_000));
      expect(performance.now() - began).toBeLessThan(20_000);
    },
    60_000,
  );
});
