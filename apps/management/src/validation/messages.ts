/** Messages that the rules of many fields share. */
export const REQUIRED = { message: 'Field required' };
export const STRING = { message: 'Input should be a string' };
export const STRINGS = { message: 'Input should be a list of strings' };
export const BOOLEAN = { message: 'Input should be true or false' };
export const OBJECT = { message: 'Input should be an object' };
export const atMost = (length: number) => ({ message: `Input should have at most ${length} characters` });
export const oneOf = (values: readonly string[]) => ({
  message: `Input should be one of ${values.map((value) => `'${value}'`).join(', ')}`,
});
