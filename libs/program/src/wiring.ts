/** Contexts under which Nest tells of its own wiring at each start, and of errors that `runProgram` tells better. */
const WIRING = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Whether a log call, given by what follows its message, is such noise. The context comes last. */
export const isWiring = (rest: readonly unknown[]): boolean => WIRING.has(String(rest.at(-1)));
