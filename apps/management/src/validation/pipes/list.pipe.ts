import type { PipeTransform } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import { invalidFields } from '../../errors/management-error.js';
import { readDto } from './request.pipe.js';

/** Maximum number of elements, because checking each of them blocks the process. */
const MAX_ELEMENTS = 5_000;

/** Reads a body that is a list of DTOs. All elements are checked before any is used. */
export class ListPipe<T extends object> implements PipeTransform<unknown, T[]> {
  constructor(private readonly type: ClassConstructor<T>) {}

  transform(body: unknown): T[] {
    if (!Array.isArray(body) || body.length > MAX_ELEMENTS) {
      throw invalidFields({ body: `Input should be a list of at most ${MAX_ELEMENTS} objects` });
    }
    const read = body.map((element, index) => readDto(element, this.type, String(index)));
    const problems = read.flatMap((element) => ('problems' in element ? Object.entries(element.problems) : []));
    if (problems.length > 0) throw invalidFields(Object.fromEntries(problems));
    return read.flatMap((element) => ('dto' in element ? element.dto : []));
  }
}
