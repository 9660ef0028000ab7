import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { unzipSync } from 'fflate';
import { extract } from 'tar-stream';
import { messageOf, StrategyFailed } from './errors.js';
import type { Program } from './programs.js';

const inflate = promisify(gunzip);

/** Unpacks the program's file from its release archive. Throws StrategyFailed if the archive is broken or lacks it. */
export async function unpackProgram(archive: Buffer, asset: string, program: Program): Promise<Uint8Array> {
  const content = await unpack(archive, program).catch((error: unknown) => {
    throw new StrategyFailed(`${asset} cannot be unpacked: ${messageOf(error)}`);
  });
  if (!content) throw new StrategyFailed(`${asset} holds no file "${program.executable}"`);
  return content;
}

async function unpack(archive: Buffer, { executable, release }: Program): Promise<Uint8Array | undefined> {
  switch (release.format) {
    case 'zip':
      return unzipSync(archive, { filter: ({ name }) => name === executable })[executable];
    case 'tar.gz':
      return fromTar(await inflate(archive), executable);
    case 'gz':
      return inflate(archive);
  }
}

/** A release tar holds one folder with the program in it. */
async function fromTar(tar: Buffer, executable: string): Promise<Uint8Array | undefined> {
  const entries = extract();
  entries.end(tar);
  for await (const entry of entries) {
    const { name, type } = entry.header;
    if (type === 'file' && name.split('/').at(-1) === executable) return buffer(entry);
    entry.resume();
  }
  return undefined;
}
