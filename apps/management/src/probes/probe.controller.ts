import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Sudo } from '../access/access-level.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import {
  HostHealthQuery,
  type HostHealthView,
  HostProbeOptions,
  type HostProbesView,
  UnsavedHostProbe,
} from './probe.dto.js';
import { ProbeService } from './probe.service.js';

@Controller('api/hosts')
export class ProbeController {
  constructor(private readonly probes: ProbeService) {}

  /** Lists what probes have found about each host, with the last rounds. */
  @Get('health')
  @Sudo()
  health(@Query() query: HostHealthQuery): Promise<HostHealthView[]> {
    return this.probes.hostHealth(query);
  }

  /** Tries a host that is not saved as its clients would, from other machines. */
  @Post('probe')
  @Sudo()
  @HttpCode(200)
  probeUnsaved(@Body() host: UnsavedHostProbe): Promise<HostProbesView> {
    return this.probes.probeUnsaved(host);
  }

  /** Tries a host as its clients would, from other machines. It may take a minute when the host does not answer. */
  @Post(':host_id/probe')
  @Sudo()
  @HttpCode(200)
  probe(@Param('host_id', IdPipe) id: number, @Body() options: HostProbeOptions): Promise<HostProbesView> {
    return this.probes.probe(id, options);
  }
}
