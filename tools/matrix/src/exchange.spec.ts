import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { startExchange } from './exchange.js';

it('the exchange server survives a client that breaks off in the middle of its body', async () => {
  const exchange = await startExchange();
  try {
    const client = connect(exchange.port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nhost: exchange.invalid\r\ncontent-length: 300000\r\nexpect: 100-continue\r\n\r\n');
    await once(client, 'data');
    client.write('only the beginning');
    client.destroy();
    await once(client, 'close');
    const answer = await fetch(`http://127.0.0.1:${exchange.port}`, { method: 'POST', body: 'whole' });
    expect(answer.headers.get('x-up')).toBe(createHash('sha256').update('whole').digest('hex'));
    await answer.arrayBuffer();
  } finally {
    await exchange.close();
  }
});
