/** Any value of JSON, to be changed by tests. */
export type EditableJson = null | boolean | number | string | EditableJson[] | EditableObject;

/** An object of JSON, to be changed by tests. */
export interface EditableObject {
  [key: string]: EditableJson | undefined;
}
