import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { NodeClientError } from '../errors/node-client-error.js';
import { issuedByAuthority, selfSigned } from '../testing/certificates.js';
import {
  type Enrolment,
  type NodeLine,
  readEnrolment,
  readNodeLine,
  writeEnrolment,
  writeNodeLine,
} from './enrolment.js';

const API_KEY = 'a-key-of-the-tests';
const PASTE = 'Paste the whole value that management has shown for this node, or have it issue another one';
const PASTE_LINE = 'Paste the whole line that the node prints at its start';

let enrolment: Enrolment;
let text: string;
let line: NodeLine;
beforeAll(async () => {
  const { cert, key, ca } = await issuedByAuthority({ names: ['192.0.2.1', 'urn:rampart:node:7'] });
  const pem = (certificate: string) => new X509Certificate(certificate).toString();
  enrolment = { port: 62_050, apiKey: API_KEY, certificate: pem(cert), key: `${key}\n`, authority: pem(ca) };
  text = writeEnrolment(enrolment);
  line = { address: '192.0.2.1', port: 62_050, certificate: pem((await selfSigned({ names: ['node'] })).cert) };
});

function problemOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof NodeClientError && error.code === 'INVALID_ARGUMENT') return error.message;
    throw error;
  }
  return 'nothing';
}

describe('an enrolment', () => {
  it('is read back as it was written', () => expect(readEnrolment(text)).toEqual(enrolment));

  it('fits a line of an .env file and of a terminal', () => {
    expect(text).toMatch(/^rampart-enrolment-1\.[\w-]+\.[\w-]{8}$/);
    expect(text.length).toBeLessThan(3_000);
  });

  it.each<[string, (value: string) => string]>([
    ['the name of its variable', (value) => `RAMPART_ENROLMENT=${value}`],
    ['quotes', (value) => `"${value}"`],
    ['line breaks of a terminal', (value) => ` ${value.replace(/.{80}/g, '$&\n  ')}\n`],
  ])('may be pasted with %s', (_, change) => expect(readEnrolment(change(text))).toEqual(enrolment));

  it('that was cut anywhere is refused as cut', () => {
    for (let length = 'rampart-enrolment-1'.length; length < text.length; length += 7) {
      expect(problemOf(() => readEnrolment(text.slice(0, length)))).toBe(
        `is cut off after ${length} characters. ${PASTE}`,
      );
    }
    const length = text.length - 1;
    expect(problemOf(() => readEnrolment(text.slice(0, -1)))).toBe(`is cut off after ${length} characters. ${PASTE}`);
  });

  it.each<[string, (value: string) => string, string]>([
    ['a changed character', (value) => value.replace(/\.e/, '.f'), 'was changed on its way: its checksum is wrong.'],
    ['more at its end', (value) => `${value}x`, 'was changed on its way: its checksum is wrong.'],
    ['a missing beginning', (value) => value.slice(9), 'is not an enrolment, because it begins otherwise.'],
    ['other text', () => 'eyJhbGciOiJIUzI1NiJ9.e30.x', 'is not an enrolment, because it begins otherwise.'],
    ['the line of a node', () => writeNodeLine(line), 'is the line of a node, not an enrolment.'],
  ])('%s is refused by name', (_, change, problem) => {
    expect(problemOf(() => readEnrolment(change(text)))).toBe(`${problem} ${PASTE}`);
  });

  it('of a later form tells that the node must be updated', () => {
    expect(problemOf(() => readEnrolment(text.replace('enrolment-1', 'enrolment-2')))).toBe(
      'is an enrolment of form 2, and this version knows form 1: update it',
    );
  });

  it('that no authority has issued is refused, and the error contains nothing of it', async () => {
    const other = await issuedByAuthority({ names: ['192.0.2.1', 'urn:rampart:node:7'] });
    const unnamed = await issuedByAuthority({ names: ['192.0.2.1'] });
    const foreign: Enrolment[] = [
      { ...enrolment, key: other.key },
      { ...enrolment, authority: other.ca },
      { ...enrolment, certificate: unnamed.cert, key: unnamed.key, authority: unnamed.ca },
      { ...enrolment, apiKey: 'short' },
      { ...enrolment, port: 0 },
    ];
    expect(foreign.map((one) => problemOf(() => readEnrolment(writeEnrolment(one))))).toEqual(
      foreign.map(() => `is an enrolment that no management of Rampart has made. ${PASTE}`),
    );
  });
});

describe('the line of a node', () => {
  it('is read back as it was written, with and without the API key', () => {
    expect(readNodeLine(writeNodeLine(line))).toEqual(line);
    expect(readNodeLine(writeNodeLine({ ...line, apiKey: API_KEY }))).toEqual({ ...line, apiKey: API_KEY });
  });

  it('contains no key unless it is given', () => {
    const content = (value: string) => Buffer.from(value.split('.')[1] ?? '', 'base64url').toString();
    expect(Object.keys(JSON.parse(content(writeNodeLine(line))))).toEqual(['address', 'port', 'certificate']);
  });

  it('an enrolment in place of a line is refused by name', () => {
    expect(problemOf(() => readNodeLine(text))).toBe(`is an enrolment, not the line of a node. ${PASTE_LINE}`);
  });

  it('a line with an unusable API key or port is refused', () => {
    for (const one of [
      { ...line, apiKey: 'short' },
      { ...line, port: 70_000 },
    ]) {
      expect(problemOf(() => readNodeLine(writeNodeLine(one)))).toBe(
        `is the line of a node that no node of Rampart has made. ${PASTE_LINE}`,
      );
    }
  });
});
