import { Injectable, type PipeTransform } from '@nestjs/common';
import { invalidFields } from '../errors/management-error.js';
import { oneOf } from '../validation/messages.js';
import { CLEARABLE, type ClearableUsage } from './clear-usage.service.js';

/** The part of the history that a path names. */
@Injectable()
export class ClearableUsagePipe implements PipeTransform<string, ClearableUsage> {
  transform(name: string): ClearableUsage {
    const table = CLEARABLE.find((known) => known === name);
    if (!table) throw invalidFields({ table: oneOf(CLEARABLE).message });
    return table;
  }
}
