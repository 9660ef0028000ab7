import { applyDecorators } from '@nestjs/common';
import { type ClassConstructor, Expose, plainToInstance, Transform } from 'class-transformer';

/** A member that requests may also send under other names. The first name with a value counts. */
export function AliasedAs(
  others: string | readonly string[],
  type?: () => ClassConstructor<object>,
): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Transform(({ obj, key }) => {
      const values = [key, others].flat().map((name): unknown => Reflect.get(obj, name));
      const value = values.find((found) => found !== undefined && found !== null) ?? values[0];
      const nested = type !== undefined && typeof value === 'object' && value !== null;
      return nested ? plainToInstance(type(), value) : value;
    }),
  );
}
