import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const COMPRESSED = /\.(?:js|css|svg|json)$/;

/** What nearly every page has and is small: in files of their own a page would be fifty requests. */
const SMALL_PARTS =
  /[\\/](?:lucide-react[\\/].*[\\/]icons|@mantine[\\/]core[\\/]esm[\\/]components[\\/](?:ActionIcon|Anchor|Code|FocusTrap|Paper|Skeleton|TextInput))[\\/]|[\\/]useMutation\.m?js$|[\\/]src[\\/](?:api|ui[\\/]list)[\\/]/;

/** What every load of the list of users needs. Else what it shares with other pages is in a file for each set of pages. */
const FIRST_FILES = [
  { name: 'first', test: /[\\/]src[\\/]app[\\/]first-requests\.ts$/, priority: 1 },
  { name: 'react', test: /[\\/]node_modules[\\/](?:react|react-dom|scheduler)[\\/]/, priority: 1 },
  { name: 'start', test: /[\\/]src[\\/]app[\\/]main\.tsx$/ },
  { name: 'parts', test: SMALL_PARTS },
  { name: 'list', test: /[\\/]users[\\/]list[\\/]users-page\.tsx$/ },
];

/** Has V8 compile all functions of these files on another thread while they are loaded, instead of each one when it is called first. */
function compiledAhead(): Plugin {
  return {
    name: 'compiled-ahead',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'chunk' && FIRST_FILES.some(({ name }) => name === file.name))
            file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
      },
    },
  };
}

/** Writes each file that text compression makes smaller in its compressed forms too, so that no answer is compressed at run time. */
function precompressed(): Plugin {
  let folder = '';
  return {
    name: 'precompressed',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const names = readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => COMPRESSED.test(name));
      const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
      await Promise.all(
        names.map(async (name) => {
          const path = join(folder, name);
          const content = readFileSync(path);
          writeFileSync(`${path}.br`, await promisify(brotliCompress)(content, brotli));
          writeFileSync(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
        }),
      );
    },
  };
}

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), compiledAhead(), precompressed()],
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2022',
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: FIRST_FILES },
      },
    },
    license: { fileName: 'licences.txt' },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8000', '/sub': 'http://127.0.0.1:8000' } },
});
