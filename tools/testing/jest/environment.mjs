import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import vm from 'node:vm';
import { installCommonGlobals } from 'jest-util';
import { DEPENDENCIES } from './dependencies.mjs';
import ShowingEnvironment from './shown-output.mjs';

/** One for each package whose tests this worker runs. */
const contexts = new Map();

/** The symbol under which the global object of a test has what the test files of a worker share (`src/worker.ts`). */
const WORKER = Symbol.for('rampart.test.worker');

/** Where dependencies write down the decorators of the product modules, which are kept. */
const REGISTRIES = new Set(['classValidatorMetadataStorage', 'typeormMetadataArgsStorage']);

/**
 * Runs all test files of a package in one context, with one copy of the dependencies and of the product modules: loading
 * them costs more than running most test files. What belongs to tests is loaded anew for each file, and what a file adds
 * to the global object is removed.
 */
export default class WorkerEnvironment extends ShowingEnvironment {
  constructor(config, context) {
    super(config, context);
    const { dependencies } = config.projectConfig.testEnvironmentOptions;
    if (!contexts.has(dependencies)) contexts.set(dependencies, createContext(dependencies, config.projectConfig));
    this.kept = contexts.get(dependencies);
    const { process } = this.global;
    const { moduleMocker, fakeTimers, fakeTimersModern } = this;
    this.context = this.kept.context;
    this.global = this.kept.global;
    this.global.process = process;
    this.moduleMocker = new moduleMocker.constructor(this.global);
    const timers = { config: config.projectConfig, global: this.global };
    this.fakeTimersModern = new fakeTimersModern.constructor(timers);
    const timerConfig = {
      idToRef: (id) => ({ id, ref: () => undefined, unref: () => undefined }),
      refToId: ({ id }) => id,
    };
    this.fakeTimers = new fakeTimers.constructor({ ...timers, moduleMocker: this.moduleMocker, timerConfig });
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    const { global, before, worker } = this.kept;
    await super.teardown();
    for (const end of worker.atFileEnd.splice(0).reverse()) await end();
    for (const key of Reflect.ownKeys(global))
      if (!before.has(key) && !REGISTRIES.has(key)) Reflect.deleteProperty(global, key);
    for (const [key, descriptor] of before) Reflect.defineProperty(global, key, descriptor);
  }
}

/** An accessor that calls the one of Node.js, which works on its own global object only; assigning to it replaces it. */
const passedOn = (global, name, { enumerable }) => ({
  configurable: true,
  enumerable,
  get: () => globalThis[name],
  set(value) {
    Object.defineProperty(global, name, { configurable: true, enumerable, writable: true, value });
  },
});

function createContext(folder, projectConfig) {
  // Without a sandbox object in front of it, the global object is as fast as that of a program.
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  const global = vm.runInContext('globalThis', context);
  const own = new Set(Object.getOwnPropertyNames(global));
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(globalThis)))
    if (!own.has(name) && name !== 'global')
      Object.defineProperty(global, name, 'value' in descriptor ? descriptor : passedOn(global, name, descriptor));
  // Values of the modules of Node.js have these classes.
  Object.assign(global, { global, Buffer, ArrayBuffer, Uint8Array });
  installCommonGlobals(global, projectConfig.globals);
  global.Error.stackTraceLimit = 100;
  const path = join(folder, 'bundle.cjs');
  const module = { exports: {} };
  const load = vm.compileFunction(
    readFileSync(path, 'utf8'),
    ['module', 'exports', 'require', '__filename', '__dirname'],
    {
      filename: path,
      parsingContext: context,
    },
  );
  load(module, module.exports, requireOf(folder, module), path, dirname(path));
  const worker = { kept: new Map(), atFileEnd: [], atExit: [] };
  process.once('exit', () => {
    for (const end of worker.atExit) end();
  });
  // Ctrl-C and the limit of memory end a worker by a signal, which is no exit otherwise.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  Object.defineProperty(global, DEPENDENCIES, { value: module.exports.default });
  Object.defineProperty(global, WORKER, { value: worker });
  return {
    context,
    global,
    worker,
    // Product modules by URL, and the files with their source maps by path (`runtime.mjs`).
    modules: new Map(),
    sourceMaps: new Map(),
    before: new Map(Reflect.ownKeys(global).map((key) => [key, Object.getOwnPropertyDescriptor(global, key)])),
  };
}

/** The `require` of the bundle. Nest loads some packages by a `require` that it makes itself, which must find the same copies. */
function requireOf(folder, module) {
  const formats = JSON.parse(readFileSync(join(folder, 'formats.json'), 'utf8'));
  const inBundle = (name) => {
    const loaded = module.exports.default[name];
    return formats[name] === 'cjs' ? loaded.default : loaded;
  };
  const createRequireOf = (from) => (name) => (name in formats ? inBundle(name) : createRequire(from)(name));
  const require = createRequire(join(folder, 'bundle.cjs'));
  const ofModule = Object.assign(Object.create(Module), { createRequire: createRequireOf });
  return (name) => (name === 'module' || name === 'node:module' ? ofModule : require(name));
}
