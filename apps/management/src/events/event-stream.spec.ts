import { describe, expect, it } from '@jest/globals';
import { EventStream } from './event-stream.js';

const read = (stream: EventStream): string => String(stream.body.read() ?? '');

describe(EventStream, () => {
  it('EventStream writes events with number, name and data', () => {
    const stream = new EventStream(() => 7);
    stream.send('ready', undefined);
    stream.send('host', 7, { type: 'host', key: '1\n2' });
    stream.beat();
    expect(read(stream)).toBe(
      'event: ready\ndata: {}\n\nid: 7\nevent: host\ndata: {"type":"host","key":"1\\n2"}\n\n: alive\n\n',
    );
  });

  it('EventStream keeps little for a slow reader, and tells it to load everything anew', () => {
    const stream = new EventStream(() => 5_000);
    for (let id = 1; id <= 5_000; id += 1) stream.send('user', id, { key: 'a'.repeat(100) });
    for (let beat = 0; beat < 10; beat += 1) stream.beat();
    expect(stream.body.readableLength).toBeLessThan(80 * 1024);
    const text = read(stream) + read(stream);
    expect(text).toMatch(/^id: 1\n/);
    expect(text.match(/event: user/g)?.length).toBeLessThan(800);
    expect(text.match(/event: reset/g)).toHaveLength(1);
    expect(text.slice(-'id: 5000\nevent: reset\ndata: {}\n\n'.length)).toBe('id: 5000\nevent: reset\ndata: {}\n\n');
    stream.send('user', 5_001, {});
    expect(read(stream)).toBe('id: 5001\nevent: user\ndata: {}\n\n');
  });

  it('EventStream writes nothing after its end', async () => {
    const stream = new EventStream(() => undefined);
    stream.end();
    const chunks: unknown[] = [];
    for await (const chunk of stream.body) chunks.push(chunk);
    stream.send('user', 1);
    expect(chunks).toEqual([]);
  });
});
