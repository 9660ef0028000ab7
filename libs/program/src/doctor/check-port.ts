import { createServer } from 'node:net';
import { messageOf } from '../process/operator-error.js';
import { type ListenSettings, listenProblem } from '../sockets/listen.js';
import { type Check, ok, wrong } from './check.js';

/** Checks that a program which does not run could open its port. */
export async function checkPortIsFree(name: string, settings: ListenSettings): Promise<Check> {
  const { host, port, portSetting } = settings;
  const error = await new Promise<unknown>((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  if (error === undefined) return ok(name, `port ${port} on ${host} is free`);
  const { problem, remedy } = listenProblem(error, settings) ?? {
    problem: messageOf(error),
    remedy: `change ${portSetting}`,
  };
  return wrong(name, problem, `${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`);
}
