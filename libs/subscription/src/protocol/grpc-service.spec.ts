import { describe, expect, it } from '@jest/globals';
import { grpcService } from './grpc-service.js';

describe(grpcService, () => {
  it.each([
    ['name', { name: 'name' }],
    ['my/service', { name: 'my%2Fservice' }],
    ['', { name: '' }],
    ['/my/path/Tun', { name: 'my/path' }],
    ['/my/path/Tun|TunMulti', { name: 'my/path' }],
    ['/my/p th/A|B', { customPath: '/my/p%20th/A' }],
    ['/my/path/A', { customPath: '/my/path/A' }],
  ])('grpcService reads %j', (text, service) => {
    expect(grpcService(text)).toEqual(service);
  });
});
