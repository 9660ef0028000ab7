import { applyDecorators } from '@nestjs/common';
import { type ClassConstructor, Expose, plainToInstance, Transform } from 'class-transformer';

/** A member that the request may also call by another name; of two the first counts. */
export const AlsoNamed = (other: string, type?: () => ClassConstructor<object>): PropertyDecorator =>
  applyDecorators(
    Expose(),
    Transform(({ obj, key }) => {
      const value: unknown = Reflect.get(obj, key) ?? Reflect.get(obj, other);
      const nested = type !== undefined && typeof value === 'object' && value !== null;
      return nested ? plainToInstance(type(), value) : value;
    }),
  );
