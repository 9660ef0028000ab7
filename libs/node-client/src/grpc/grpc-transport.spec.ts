import { expect, it } from '@jest/globals';
import { Log } from '../gen/service.js';
import { CHANNEL_OPTIONS, decodeLine } from './grpc-transport.js';

it('the gRPC channel accepts large messages, and keeps no copy of streamed messages', () => {
  expect(CHANNEL_OPTIONS).toMatchObject({
    'grpc.max_receive_message_length': 67_108_864,
    'grpc.max_send_message_length': 67_108_864,
    'grpc.per_rpc_retry_buffer_size': 0,
  });
});

it('security row 39: the gRPC channel has a window that takes little memory even in frames of one byte', () => {
  expect(CHANNEL_OPTIONS['grpc-node.flow_control_window']).toBe(524_288);
});

it.each(['', 'a', 'x'.repeat(100_000), 'می‌شود 日本語 😀'.repeat(10_000)])(
  'a log line over gRPC is read %#',
  (detail) => {
    const line = { detail, sequence: 2n ** 64n - 1n };
    expect(decodeLine(Buffer.from(Log.encode(line).finish()))).toEqual(line);
  },
);

it.each([
  ['unknown fields', Buffer.alloc(2_048, Buffer.from([15 << 3, 1]))],
  ['one field again and again', Buffer.alloc(2_048, Buffer.from([(1 << 3) | 2, 0]))],
])('security row 39: a log line over gRPC of %s is refused', (_, bytes) => {
  expect(() => decodeLine(bytes)).toThrow('the answer to GetLogs is not the message it should be');
});

it('security row 39: a log line over gRPC of many bytes and a short text is refused', () => {
  const bytes = Buffer.concat([Buffer.from([(15 << 3) | 2, 0x80, 0x80, 0x04]), Buffer.alloc(64 * 1_024)]);
  expect(() => decodeLine(bytes)).toThrow('a log line is hardly anything but what it should not have');
});
