import { Controller, Get } from '@nestjs/common';
import { Sudo } from '../access/access-level.js';
import type { DoctorView } from './doctor.dto.js';
import { DoctorService } from './doctor.service.js';

@Controller('api/doctor')
export class DoctorController {
  constructor(private readonly doctor: DoctorService) {}

  /** Checks the database, keys, clocks, certificates, ports, cores and every node, and says what to do about what is wrong. */
  @Get()
  @Sudo()
  examine(): Promise<DoctorView> {
    return this.doctor.examine();
  }
}
