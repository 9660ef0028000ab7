import { Transform } from 'class-transformer';

/** A member that is kept as it came, not rebuilt as an instance of anything; null is absent. */
export const KeepRaw = (): PropertyDecorator => Transform(({ obj, key }) => Reflect.get(obj, key) ?? undefined);
