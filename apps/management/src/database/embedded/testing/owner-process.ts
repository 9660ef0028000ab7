import { EmbeddedPostgres } from '../embedded-postgres.js';

// Runs the database as a management process does: starts it and keeps it until SIGTERM. It writes JSON lines.
const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

try {
  const postgres = await EmbeddedPostgres.start({
    dataDir: process.argv[2] ?? '',
    log: (line) => say({ line }),
  });
  process.once('SIGTERM', () => {
    void postgres.stop().then(() => process.exit(0));
  });
  setInterval(() => undefined, 60_000);
  say({ url: postgres.url, pid: postgres.pid });
} catch (error) {
  say({ error: String(error) });
}
