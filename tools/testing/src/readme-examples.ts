import { readFile } from 'node:fs/promises';

/**
 * Runs the `ts` examples of a README as one program, and returns what it logs with `console.log`, one list per call. The
 * examples use no type annotations.
 *
 * @param modules the modules that the examples import, by name.
 */
export async function runReadmeExamples(
  file: string,
  modules: Readonly<Record<string, object>>,
): Promise<readonly unknown[][]> {
  const blocks = [...(await readFile(file, 'utf8')).matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  const program = blocks.join('\n').replace(/^import (\{[^}]*\}) from ('[^']*');$/gm, 'const $1 = modules[$2];');
  const logged: unknown[][] = [];
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const run = AsyncFunction('modules', 'console', program) as (...given: unknown[]) => Promise<void>;
  await run(modules, { log: (...words: unknown[]) => logged.push(words) });
  return logged;
}
