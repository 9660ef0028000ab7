// Runs in a network name space without outside IPv4: a node with its defaults, callers over each transport, and a user.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { createNodeClient } from '../../../../../libs/node-client/dist/index.js';

const [enginePath, dataDir, listen] = process.argv.slice(2);
const apiKey = 'the-key-of-the-tests';
const port = 17_998;
const id = '11111111-1111-4111-8111-111111111111';

const node = spawn(process.execPath, [new URL('../../../dist/main.js', import.meta.url).pathname], {
  env: {
    PATH: process.env.PATH,
    TMPDIR: process.env.TMPDIR,
    ...{ XRAY_EXECUTABLE_PATH: enginePath, RAMPART_API_KEY: apiKey },
    ...{ RAMPART_NODE_DATA_DIR: dataDir, RAMPART_NODE_PORT: String(port) },
  },
});
// When this program ends, its children are ended too.
const children = [node];
process.once('SIGTERM', () => process.exit(1));
process.once('exit', () => {
  // A node that is killed leaves its engine to the next one.
  for (const child of children) child.kill(child === node ? 'SIGINT' : 'SIGKILL');
});
let output = '';
for (const stream of [node.stdout, node.stderr]) {
  stream.on('data', (chunk) => {
    output += chunk;
  });
}
const ready = /Ready for REST and gRPC on (\S+), certificate SHA-256 ([0-9A-F:]{95})/;
while (!ready.test(output)) {
  if (node.exitCode !== null) throw new Error(output);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const [, address, fingerprint256] = ready.exec(output);

const running = {};
for (const transport of ['grpc', 'rest', 'auto']) {
  const client = createNodeClient({ transport, host: '::1', port, apiKey, tls: { fingerprint256 } });
  const inbound = {
    tag: 'in',
    ...(listen ? { listen } : {}),
    port: 8443,
    protocol: 'vless',
    settings: { decryption: 'none' },
  };
  // Engines from 26.7 let users reach no private address by default; the page is on one.
  const settings = { finalRules: [{ action: 'allow' }] };
  const outbounds = [{ protocol: 'freedom', tag: `direct-${transport}`, settings }];
  const users = [{ email: '1.ann', proxies: { vless: { id, flow: '' } }, inbounds: ['in'] }];
  const info = await client.start({ config: JSON.stringify({ inbounds: [inbound], outbounds }), users });
  running[transport] = info.running && info.warnings.length === 0;
  await client.close();
}

const web = createServer((_request, response) => response.end('the page')).listen(0, '::1');
await once(web, 'listening');
const client = spawn(enginePath, ['run', '-c', 'stdin:'], { stdio: ['pipe', 'ignore', 'ignore'] });
children.push(client);
const vnext = [{ address: '::1', port: 8443, users: [{ id, encryption: 'none' }] }];
client.stdin.end(
  JSON.stringify({
    inbounds: [{ listen: '::1', port: 1081, protocol: 'http' }],
    outbounds: [{ protocol: 'vless', settings: { vnext } }],
  }),
);
const fetchPage = () =>
  new Promise((resolve) => {
    const host = `[::1]:${web.address().port}`;
    const call = get({ host: '::1', port: 1081, path: `http://${host}/`, headers: { host }, agent: false });
    call.setTimeout(1000, () => call.destroy());
    call.once('error', () => resolve(undefined));
    call.once('close', () => resolve(undefined));
    call.once('response', (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.once('end', () => resolve(body));
    });
  });
let page;
for (let tries = 0; page === undefined && tries < 200; tries += 1) {
  page = await fetchPage();
  if (page === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
}

client.kill('SIGKILL');
web.close();
node.kill('SIGINT');
const [code] = await once(node, 'exit');
console.log(JSON.stringify({ address, running, page, code }));
