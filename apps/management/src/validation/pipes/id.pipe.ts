import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { MAX_INT32 } from '@rampart/domain';
import { invalidFields } from '../../errors/management-error.js';

/** Parses an id in a path. */
@Injectable()
export class IdPipe implements PipeTransform<string, number> {
  transform(text: string, { data }: ArgumentMetadata): number {
    const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (id >= 1 && id <= MAX_INT32) return id;
    throw invalidFields({ [data ?? 'id']: `Input should be an integer from 1 to ${MAX_INT32}` });
  }
}
