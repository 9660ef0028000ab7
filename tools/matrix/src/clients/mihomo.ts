import { freePort, parseLink, programPath } from '@rampart/testing';
import { accountOf, type Client } from './client.js';
import { complaintOf, type Files, runUntilClosed } from './program.js';

/** A mihomo app that reads Clash profiles. */
export const mihomo: Client = {
  column: 'mihomo',
  userAgent: 'clash-verge/v2.4.3',
  path: '',
  namesIn: (document) => namesInProfile(document),
  complaint: complaintOfProfile,
  start: (document, trusted) => start(profileFor(document), trusted),
};

/** The first Clash is not available any more; mihomo reads its profiles. */
export const firstClash: Client = { ...mihomo, column: 'the first Clash', userAgent: 'ClashForWindows/0.20.39' };

/** mihomo with a list of share links as its proxy provider. */
export const mihomoLinks: Client = {
  column: 'mihomo, links',
  userAgent: 'any',
  path: '/links',
  namesIn: (document) =>
    document
      .split('\n')
      .filter(Boolean)
      .map((link) => parseLink(link).name),
  complaint: (document) => complaintOf(providerFor(document)(0), (folder) => check(folder)),
  start: (document, trusted) => start(providerFor(document), trusted),
};

const PROXY = '  - {"name"';

/** Lines of a profile that hold a proxy: each proxy is one line of JSON. */
function linesOf(document: string): string[] {
  const section = document.slice(document.indexOf('proxies:'), document.indexOf('proxy-groups:'));
  return section.split('\n').filter((line) => line.startsWith(PROXY));
}

export function proxiesIn(document: string): { readonly name: string }[] {
  return linesOf(document).map((line) => JSON.parse(line.slice(4)));
}

const namesInProfile = (document: string): string[] => proxiesIn(document).map(({ name }) => name);

function complaintOfProfile(document: string): Promise<string> {
  return complaintOf({ 'config.yaml': document }, check);
}

const check = (folder: string) => ({
  program: programPath('mihomo'),
  args: ['-t', '-d', folder, '-f', `${folder}/config.yaml`],
});

/** Builds a profile in which the proxy account selects the proxy. */
function profileFor(document: string): (port: number) => Files {
  const groups = namesInProfile(document).map((name) => ({ proxies: [name] }));
  return (port) => ({ 'config.yaml': `${head(port, groups)}proxies:\n${linesOf(document).join('\n')}\n` });
}

function providerFor(document: string): (port: number) => Files {
  const groups = mihomoLinks.namesIn(document).map((name) => ({ use: ['links'], filter: `^${escaped(name)}$` }));
  const provider = JSON.stringify({ links: { type: 'file', path: './links.txt' } });
  return (port) => ({ 'links.txt': document, 'config.yaml': `${head(port, groups)}proxy-providers: ${provider}\n` });
}

function head(port: number, members: readonly object[]): string {
  const accounts = members.map((_, at) => `${accountOf(at)}:password`);
  // A rule separates its parts by commas, so it cannot contain every proxy name: groups have safe names.
  const groups = members.map((group, at) => ({ name: `g${at}`, type: 'select', ...group }));
  const rules = [...members.map((_, at) => `IN-USER,${accountOf(at)},g${at}`), 'MATCH,REJECT'];
  return `mixed-port: ${port}
mode: rule
log-level: warning
authentication: ${JSON.stringify(accounts)}
proxy-groups: ${JSON.stringify(groups)}
rules: ${JSON.stringify(rules)}
`;
}

async function start(files: (port: number) => Files, trusted: string) {
  const port = await freePort();
  return runUntilClosed(
    files(port),
    (folder) => ({ program: programPath('mihomo'), args: ['-d', folder, '-f', `${folder}/config.yaml`] }),
    port,
    trusted,
  );
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');
