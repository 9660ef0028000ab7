import { Controller, Get, Header, Param } from '@nestjs/common';
import { Public } from '../access/access-level.js';
import { Produces } from '../http/produces.js';
import { ProbeTarget } from './probe-target.js';

@Controller('sub/probe')
export class ProbeTargetController {
  constructor(private readonly target: ProbeTarget) {}

  /** Returns 1 MB of random bytes to a probe, which alone knows the URL. */
  @Get(':token/bytes')
  @Public()
  @Header('cache-control', 'no-store')
  @Produces('application/octet-stream')
  read(@Param('token') token: string): Buffer {
    return this.target.read(token, new Date());
  }
}
