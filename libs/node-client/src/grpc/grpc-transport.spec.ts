import { expect, it } from '@jest/globals';
import { CHANNEL_OPTIONS } from './grpc-transport.js';

it('takes large messages, and keeps no copy of what it streams', () => {
  expect(CHANNEL_OPTIONS).toMatchObject({
    'grpc.max_receive_message_length': 67_108_864,
    'grpc.max_send_message_length': 67_108_864,
    'grpc.per_rpc_retry_buffer_size': 0,
  });
});
