// Nodes without engines, in a process of their own.
import { fork, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Doubles {
  static async open(count) {
    const certificate = await selfSigned();
    const child = fork(join(import.meta.dirname, 'doubles-process.mjs'), { env: { PATH: process.env.PATH } });
    const doubles = new Doubles(child, certificate.cert);
    doubles.ports = (await doubles.ask({ command: 'open', count, ...certificate })).ports;
    return doubles;
  }

  constructor(child, ca) {
    Object.assign(this, { child, ca, lastId: 0, answers: new EventEmitter() });
    child.on('message', ({ id, event = 'done', ...answer }) => this.answers.emit(`${event} ${id}`, answer));
  }

  async ask(message) {
    this.lastId += 1;
    const answered = once(this.answers, `done ${this.lastId}`);
    this.child.send({ id: this.lastId, ...message });
    const [answer] = await answered;
    return answer;
  }

  /** Returns a promise of the moment at which all nodes that are well hold it, once they look out for it. */
  async expect(what) {
    const held = once(this.answers, `held ${this.lastId + 1}`).then(([{ at }]) => at);
    await this.ask({ command: 'expect', ...what });
    return { held };
  }

  close() {
    this.child.kill();
  }
}

async function selfSigned() {
  const folder = await mkdtemp(join(tmpdir(), 'rampart-bench-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=double', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject];
  const { status } = spawnSync('openssl', [...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  if (status !== 0) throw new Error('openssl makes the certificate of the nodes, and has failed');
  const pair = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  await rm(folder, { recursive: true });
  return pair;
}
