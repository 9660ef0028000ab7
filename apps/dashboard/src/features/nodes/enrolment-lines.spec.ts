import { describe, expect, it } from '@jest/globals';
import { enrolmentLines, writeCommand } from './enrolment-lines';

const VALUE = 'RAMPART_ENROLMENT=rampart-enrolment-1.x';

describe(enrolmentLines.name, () => {
  it('has no line for the ports of the compose file', () => {
    expect(enrolmentLines(VALUE, 62_050, [1080])).toEqual({ env: VALUE, ports: [] });
  });

  it('has other ports, of inbounds one port or one range', () => {
    expect(enrolmentLines(VALUE, 62_051, [443]).env).toBe(
      `${VALUE}\nRAMPART_NODE_PORT=62051\nRAMPART_INBOUND_PORTS=443`,
    );
    expect(enrolmentLines(VALUE, 62_050, [8443, 8444, 8445]).env).toBe(`${VALUE}\nRAMPART_INBOUND_PORTS=8443-8445`);
  });

  it('names ports that are no range', () => {
    expect(enrolmentLines(VALUE, 62_050, [443, 8443])).toEqual({ env: VALUE, ports: [443, 8443] });
    expect(enrolmentLines(VALUE, 62_050, [])).toEqual({ env: VALUE, ports: [] });
  });

  it('are written by a command that keeps what the file has, for its owner alone', () => {
    expect(writeCommand('A=1\nB=2', '.env')).toBe("touch .env && chmod 600 .env && cat >> .env <<'END'\nA=1\nB=2\nEND");
  });
});
