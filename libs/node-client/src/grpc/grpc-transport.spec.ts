import { expect, it } from '@jest/globals';
import { CHANNEL_OPTIONS } from './grpc-transport.js';

it('the gRPC channel accepts large messages, and keeps no copy of streamed messages', () => {
  expect(CHANNEL_OPTIONS).toMatchObject({
    'grpc.max_receive_message_length': 67_108_864,
    'grpc.max_send_message_length': 67_108_864,
    'grpc.per_rpc_retry_buffer_size': 0,
  });
});
