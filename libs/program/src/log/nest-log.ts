/** Contexts under which Nest logs its own wiring at each start, and errors that `runProgram` prints better. */
const WIRING_CONTEXTS = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

/** The two methods of Nest's logger that carry such lines. The last argument is the context. */
interface NestLogger {
  log(message: unknown, ...rest: unknown[]): void;
  error(message: unknown, ...rest: unknown[]): void;
}

/** Makes a logger of Nest drop the lines about Nest's own wiring; returns the same logger. */
export function withoutWiringLines<T extends NestLogger>(logger: T): T {
  for (const method of ['log', 'error'] as const) {
    const write = logger[method].bind(logger);
    logger[method] = (message, ...rest) => {
      if (!WIRING_CONTEXTS.has(String(rest.at(-1)))) write(message, ...rest);
    };
  }
  return logger;
}
