// The baseline for HTTP, in its own process: GET /<n> answers a JSON text of n bytes.
import { createRequire } from 'node:module';

// The same version of Fastify that management uses.
const { default: fastify } = createRequire(new URL('../../../apps/management/package.json', import.meta.url))(
  'fastify',
);

const server = fastify();
const bodies = new Map();
server.get('/:bytes', ({ params }, reply) => {
  const bytes = Number(params.bytes);
  if (!bodies.has(bytes)) bodies.set(bytes, JSON.stringify('x'.repeat(Math.max(0, bytes - 2))));
  return reply.type('application/json; charset=utf-8').send(bodies.get(bytes));
});
await server.listen({ host: '127.0.0.1', port: 0 });
console.log(`Ready on ${server.server.address().port}`);
