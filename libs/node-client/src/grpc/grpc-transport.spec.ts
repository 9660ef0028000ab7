import { expect, it } from '@jest/globals';
import { CHANNEL_OPTIONS } from './grpc-transport.js';

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
