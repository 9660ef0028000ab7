import { Transform } from 'class-transformer';

/** Keeps the value of a member as it was sent, without converting it to an instance of a class. Null counts as absent. */
export const KeepRaw = (): PropertyDecorator => Transform(({ obj, key }) => Reflect.get(obj, key) ?? undefined);
