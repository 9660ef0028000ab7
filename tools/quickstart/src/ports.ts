import { createServer } from 'node:net';
import { OperatorError } from '@rampart/program';

export interface WantedPort {
  readonly port: number;
  /** What listens there, for the error: "the management API". */
  readonly use: string;
  /** What changes it: "set RAMPART_PORT to a free port". */
  readonly remedy: string;
}

/** Refuses ports that another program holds, or that two of ours would share; names every one with its setting. */
export async function checkPorts(wanted: readonly WantedPort[]): Promise<void> {
  const problems: string[] = [];
  for (const [index, { port, use, remedy }] of wanted.entries()) {
    const twin = wanted.slice(0, index).find((other) => other.port === port);
    if (twin !== undefined) problems.push(`Port ${port} is wanted by ${twin.use} and by ${use}: ${remedy}.`);
    else {
      const reason = await whyNotFree(port);
      if (reason !== undefined) problems.push(`Port ${port}, for ${use}, ${reason}: ${remedy}.`);
    }
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'));
}

function whyNotFree(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${error.code})`);
    });
    probe.listen(port, '0.0.0.0', () => probe.close(() => resolve(undefined)));
  });
}
