/** The defaults of compose.node.yaml. */
const NODE_PORT = 62_050;
const INBOUND_PORT = 1_080;

export interface EnrolmentLines {
  /** The lines of `.env` beside compose.node.yaml. */
  env: string;
  /** Ports that are too far apart for the one range of the compose file. */
  ports: readonly number[];
}

/** What a node in a container is given: its enrolment, and the ports where they are not those of the compose file. */
export function enrolmentLines(enrolment: string, nodePort: number, inbounds: readonly number[]): EnrolmentLines {
  const [first, last] = [inbounds[0], inbounds.at(-1)];
  const isRange = first !== undefined && last !== undefined && last - first === inbounds.length - 1;
  const range = first === last ? `${first}` : `${first}-${last}`;
  const lines = [
    enrolment,
    ...(nodePort === NODE_PORT ? [] : [`RAMPART_NODE_PORT=${nodePort}`]),
    ...(isRange && range !== `${INBOUND_PORT}` ? [`RAMPART_INBOUND_PORTS=${range}`] : []),
  ];
  return { env: lines.join('\n'), ports: isRange ? [] : inbounds };
}

/** A command for a shell that adds lines to a file which only its owner reads. */
export const writeCommand = (lines: string, file: string): string =>
  `touch ${file} && chmod 600 ${file} && cat >> ${file} <<'END'\n${lines}\nEND`;
