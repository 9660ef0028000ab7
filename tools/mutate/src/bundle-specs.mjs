import { build } from 'esbuild';
import { specsOf } from './sources.mjs';

/** All unit tests below a folder with the sources of the workspace that they import, as one CommonJS script. */
export async function bundleSpecs(folder) {
  const { outputFiles } = await build({
    stdin: {
      contents: specsOf(folder)
        .map((file) => `import ${JSON.stringify(file)};`)
        .join('\n'),
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: `node${process.versions.node}`,
    conditions: ['rampart-src'],
    keepNames: true,
    logLevel: 'error',
    define: { 'import.meta.dirname': '__dirname' },
    plugins: [{ name: 'dependencies', setup: leaveOutDependencies }],
  });
  return outputFiles[0].text;
}

/** Dependencies are loaded from where the importer finds them, once for all mutants. */
function leaveOutDependencies({ onResolve, resolve }) {
  // Of a package without side effects, esbuild would leave out what nothing imports.
  onResolve({ filter: /\.spec\.ts$/ }, ({ path }) => ({ path, sideEffects: true }));
  onResolve({ filter: /^@jest\/globals$/ }, ({ path }) => ({ path, external: true }));
  onResolve({ filter: /^[^./]/ }, async ({ path, resolveDir, pluginData }) => {
    if (pluginData === 'inner' || path.startsWith('@rampart/')) return undefined;
    const resolved = await resolve(path, { kind: 'require-call', resolveDir, pluginData: 'inner' });
    // Of a file, esbuild would write the path relative to the script.
    return { ...resolved, namespace: 'dependency', external: true };
  });
}
