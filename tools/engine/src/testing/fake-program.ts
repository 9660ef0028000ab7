import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { pack } from 'tar-stream';
import { type Program, type ProgramName, programs } from '../programs.js';

const answers: Record<ProgramName, (version: string) => string> = {
  xray: (version) => `Xray ${version} (Xray, Penetrates Everything.) Custom (go1.26.8 linux/amd64)`,
  'sing-box': (version) => `sing-box version ${version}`,
  'sing-box-1.11': (version) => `sing-box version ${version}`,
  mihomo: (version) => `Mihomo Meta v${version} linux amd64 with go1.26.8 unknown time`,
};

/** A shell script that prints its version like the real program. */
export function fakeProgram(name: ProgramName, version = programs[name].version): string {
  return `#!/bin/sh\necho '${answers[name](version)}'\n`;
}

/** An archive in the program's release format that contains the script. */
export async function fakeArchive(program: Program, script = fakeProgram(program.name)): Promise<Buffer> {
  switch (program.release.format) {
    case 'zip':
      return Buffer.from(zipSync({ 'README.md': strToU8('read me'), [program.executable]: strToU8(script) }));
    case 'gz':
      return gzipSync(script);
    case 'tar.gz': {
      const folder = `sing-box-${program.version}-linux-amd64`;
      const tar = pack();
      tar.entry({ name: `${folder}/LICENSE` }, 'a licence');
      tar.entry({ name: `${folder}/${program.executable}`, mode: 0o755 }, script);
      tar.finalize();
      return gzipSync(await buffer(tar));
    }
  }
}
